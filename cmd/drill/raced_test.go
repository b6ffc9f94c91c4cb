//go:build race

package main

// raced: under the race detector a sync.Pool forgets at random, so that more is made
// anew.
const raced = 50
