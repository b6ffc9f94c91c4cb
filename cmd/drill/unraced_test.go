//go:build !race

package main

const raced = 1
