// Package splitmix draws numbers from a seed: SplitMix64 (Steele, Lea, Flood: Fast
// splittable pseudorandom number generators, OOPSLA 2014, doi 10.1145/2660193.2660195).
package splitmix

const gamma = 0x9e3779b97f4a7c15

// Next returns the next number, and lets the state go on.
func Next(state *uint64) uint64 {
	*state += gamma
	return mix(*state)
}

// At returns the n-th number of a seed, from 1, without those before it.
func At(seed, n uint64) uint64 { return mix(seed + n*gamma) }

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
