// Package operate is what operators do with whole trees of locks: list them, find
// out what is wrong, clean up, and tell what happened. It holds no lock, except
// the one that it is about to remove, and it never waits.
package operate
