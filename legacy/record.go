package legacy

import (
	"encoding/json"
	"errors"
	"time"

	"genlock.dev/genlock/internal/env"
	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/exact"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// record is owner.json of an old lock: the union of what the dialects and hold
// mode write, each of which ignores the fields of the others.
type record struct {
	Generation protocol.ID       `json:"generation,omitempty"`
	Hostname   string            `json:"hostname,omitempty"`
	PID        int               `json:"pid"`
	StartedAt  string            `json:"startedAt,omitempty"`
	Token      string            `json:"token,omitempty"`
	Process    *protocol.Process `json:"process,omitempty"`
}

// parseRecord reads a record as leniently as the old programs do: a pid that a
// process can have is all that it needs.
func parseRecord(data []byte) (rec *record, problem string) {
	if len(data) == 0 {
		return nil, "its record is empty"
	}
	var r record
	if err := exact.Unmarshal(data, &r); err != nil {
		return nil, "its record cannot be understood"
	}
	if err := protocol.CheckPID(r.PID); err != nil {
		return nil, "its record names no pid that a process can have"
	}
	if _, ok := protocol.ParseID(string(r.Generation)); !ok {
		// Without its generation a record of ours is judged like any other.
		r.Generation, r.Process = "", nil
	}
	return &r, ""
}

// readRecord reads the record name below d. A missing one is neither record nor
// problem.
func readRecord(d vfs.Dir, name string) (rec *record, problem string, err error) {
	data, err := readFile(d, name)
	if data == nil || err != nil {
		return nil, "", err
	}
	rec, problem = parseRecord(data)
	return rec, problem, nil
}

// readFile returns nil for a file that is not there. What is no regular file is
// never opened behind (rule 11).
func readFile(d vfs.Dir, name string) ([]byte, error) {
	data, err := vfs.ReadFile(d, name, protocol.MaxRecord)
	switch {
	case absent(err):
		return nil, nil
	case errors.Is(err, vfs.ErrTooBig):
		return []byte{}, nil
	case errors.Is(err, vfs.ErrNotRegular):
		return nil, unsafeAt(d, name, "a regular file", err)
	case err == nil && data == nil:
		return []byte{}, nil
	}
	return data, err
}

// ownRecord is what we write into an old lock in hold mode. A process outside the
// initial PID namespace shows old programs another host name, so that they do
// not judge a pid which they cannot see.
func ownRecord(e *env.Env, generation protocol.ID) *record {
	self := e.Machine.Self()
	host := self.Hostname
	if host == "" {
		host = "unknown"
	}
	if !self.InitialPIDNS {
		host += "/pidns:" + string(self.PIDNS)
	}
	return &record{Generation: generation, Hostname: host, PID: self.PID,
		StartedAt: e.Clock.Now().UTC().Format(time.RFC3339Nano), Token: tokenOf(generation),
		Process: processOf(self)}
}

// processOf describes this process. Its witness is that of the v3 generation,
// which lies elsewhere and is found through the generation's name.
func processOf(self *evidence.Self) *protocol.Process {
	return &protocol.Process{Boot: self.Boot, Machine: self.Machine, PIDNS: self.PIDNS, TimeNS: self.TimeNS,
		Start: self.Start, Instance: self.Instance, Witness: protocol.WitnessNone}
}

func (r *record) encode() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	return append(data, '\n'), err
}

// party is the holder as evidence wants it.
func (r *record) party(dir vfs.Dir, born time.Time, kind vfs.Kind) evidence.Party {
	return evidence.Party{ID: r.Generation, Dir: dir, Kind: kind, Born: born,
		Record: &protocol.Record{Generation: r.Generation, Hostname: r.Hostname, PID: r.PID, Process: r.Process}}
}

// tokenOf writes a generation in the form that the token dialect uses, so that a
// token tells which lease it belongs to.
func tokenOf(g protocol.ID) string {
	if len(g) != 32 {
		return string(g)
	}
	return string(g[:8] + "-" + g[8:12] + "-" + g[12:16] + "-" + g[16:20] + "-" + g[20:])
}
