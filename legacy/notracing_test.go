//go:build !race

package legacy_test

const racing = false
