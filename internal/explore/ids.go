package explore

import (
	"fmt"

	"genlock.dev/genlock/protocol"
)

// newID makes ids that tell people who made them, and that are the same in every
// order of steps.
func (p *Proc) newID() (protocol.ID, error) {
	if p.dead {
		return "", errDead
	}
	p.ids++
	low := 1
	if p.w.sc.CollectAlways {
		low = 0x40
	}
	return protocol.ID(fmt.Sprintf("%012x7%03x8%011x%04x", p.now.UnixMilli(), p.n, p.ids, low)), nil
}

// shortID undoes newID for people.
func shortID(id string) string {
	var ms, n, count, low int
	if _, err := fmt.Sscanf(id, "%012x7%03x8%011x%04x", &ms, &n, &count, &low); err != nil {
		return id[:6]
	}
	return fmt.Sprintf("%c%d", letter(n)+'a'-'A', count)
}

// makerOf is the number of the process that made the id, 0 for none of ours.
func makerOf(id string) int {
	var ms, n, count, low int
	if _, err := fmt.Sscanf(id, "%012x7%03x8%011x%04x", &ms, &n, &count, &low); err != nil {
		return 0
	}
	return n
}

func letter(n int) rune { return 'A' + rune(n) - 1 }
