package operate

import (
	"strings"

	"genlock.dev/genlock/observer"
)

// Keepers names the commands that keep a lock whose holder is gone, as far as this
// process may see them; "" when none can be told.
func Keepers(o *observer.Observation) string {
	if o.Holder == nil || !o.Holder.ChildOnly || o.Generation == "" {
		return ""
	}
	return strings.Join(keepers(o.Generation), ", ")
}
