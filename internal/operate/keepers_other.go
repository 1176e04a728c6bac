//go:build !linux

package operate

import "genlock.dev/genlock/protocol"

// keepers cannot be found here.
func keepers(protocol.ID) []string { return nil }
