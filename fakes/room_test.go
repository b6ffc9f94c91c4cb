package fakes

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// arrived is a body that a target gets from the tap.
type arrived struct{ io.ReadCloser }

func (arrived) Whole() []byte { return []byte("charge=ch_1") }

// TestBodyIsReadToItsBound: on its way or arrived, a body is read whole, or refused where
// it is a byte too long.
func TestBodyIsReadToItsBound(t *testing.T) {
	const text = "charge=ch_1"
	for name, body := range map[string]func() io.ReadCloser{
		"on its way":    func() io.ReadCloser { return io.NopCloser(strings.NewReader(text)) },
		"arrived whole": func() io.ReadCloser { return arrived{io.NopCloser(bytes.NewReader(nil))} },
	} {
		t.Run(name, func(t *testing.T) {
			read := func(most int64) ([]byte, error) {
				r := httptest.NewRequest(http.MethodPost, "/", nil)
				r.Body = body()
				return readBody(httptest.NewRecorder(), r, most)
			}
			got, err := read(int64(len(text)))
			require.NoError(t, err)
			require.Equal(t, text, string(got))
			_, err = read(int64(len(text)) - 1)
			var long *http.MaxBytesError
			require.ErrorAs(t, err, &long)
			require.EqualValues(t, len(text)-1, long.Limit)
		})
	}
	none, err := readBody(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody), 1)
	require.NoError(t, err)
	require.Nil(t, none)
}
