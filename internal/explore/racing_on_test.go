//go:build race

package explore

// racing: the race detector makes everything ten times slower.
const racing = true
