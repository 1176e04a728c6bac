//go:build race

package legacy_test

// racing: the race detector is on, and everything takes ten times as long.
const racing = true
