package operate

import "genlock.dev/genlock/internal/eventlog"

// PruneOptions say what Prune may do and whom it tells.
type PruneOptions struct {
	// DryRun changes nothing, and tells what would be removed.
	DryRun bool
	// Roots is the operator's word that nothing uses the idle locks: their
	// directories go as well.
	Roots bool
	// Log is the event log into which reclaimed generations go; without a path none.
	Log eventlog.Log
	// Removed is told about each removal, once it is done.
	Removed func(Removal) error
	// Problem is told what could not be looked at or removed; the rest goes on.
	Problem func(path string, err error)
	// Progress is told how far it is, after each lock.
	Progress func(Pruned)
}

// Removal is one thing that was removed, or with a dry run would be.
type Removal struct {
	Schema int `json:"schema"`
	// Kind is abandoned, tombstone, candidate, root-candidate or root.
	Kind   string `json:"removed"`
	Lock   string `json:"lock"`
	Path   string `json:"path"`
	Names  int    `json:"names"` // files and directories
	Bytes  int64  `json:"bytes"` // in files
	DryRun bool   `json:"dry_run"`
}

// Pruned sums up.
type Pruned struct {
	Locks   int   // looked at
	Removed int   // things
	Names   int   // files and directories of these
	Bytes   int64 // in files of these
	Kept    int   // things that somebody may still act on
}
