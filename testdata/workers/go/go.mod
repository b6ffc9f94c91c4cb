module github.com/retrydrill/drill/testdata/workers/go

go 1.26.8

require (
	github.com/hashicorp/go-retryablehttp v0.7.8
	github.com/stripe/stripe-go/v84 v84.4.1
)

require github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
