package cases

// containerCases are group B, and what is like it: containers that share numbers,
// names or inodes with somebody else.
var containerCases = []scenario{
	{id: "B1", what: "holder in a container", holder: container, want: "alive", says: "its witness is locked", next: blocked},
	{id: "B1", what: "its namespace killed, seen from a crowded one", holder: container, then: killed, from: crowded,
		want: "gone", says: "its witness is free", next: takes},
	{id: "B1", what: "the same, no lock could be proven", holder: container, hold: hold{World: world{Flock: "pretend"}},
		then: killed, from: crowded, want: "undecidable", says: "belongs to another PID namespace", next: blocked},
	{id: "B2", what: "both are pid 1 in their namespaces, alive", holder: container, from: container,
		want: "alive", says: "its witness is locked", next: blocked},
	{id: "B2", what: "both are pid 1, the other one dead", holder: container, then: killed, from: container,
		want: "gone", says: "its witness is free", next: takes},
	{id: "B2", what: "same pid, namespace of the same inode number", play: sameInode,
		want: "gone", says: "pid 1 is a different process now (start time)", next: takes},
	{id: "B4", what: "hostname new at each start, holder dead", holder: renamed, then: killed,
		want: "gone", says: "does not exist any more", next: takes},
	{id: "B4", what: "hostname new at each start, holder alive", holder: renamed,
		want: "alive", says: "runs and is the same process", next: blocked},
	{id: "B4", what: "seen from a host of another name", then: killed, from: renamed,
		want: "gone", says: "does not exist any more", next: takes},
	{id: "B4", what: "another name and another boot", holder: renamed, then: killed, world: world{Reboot: true},
		want: "undecidable", says: "recorded on " + otherHostname + ", this is ", next: blocked},
}

// sameInode starts containers until one has a namespace of the number that the
// dead holder's had. Its first process is number 1, as the holder was.
func sameInode(s *scene) seen {
	s.take(container, hold{})
	number := s.look(here, look{}).Holder.PIDNamespace
	s.holder.kill()
	for range 50 {
		if v := s.look(container, look{Try: true, Only: number}); v.Namespace == number {
			return v
		}
	}
	s.skip("the number of the namespace was not given out again in 50 tries")
	return seen{}
}
