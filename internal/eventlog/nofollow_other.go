//go:build !unix

package eventlog

// noFollow is nothing here: a look after opening has to do.
const noFollow = 0
