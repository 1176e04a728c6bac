package legacy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"genlock.dev/genlock/internal/evidence"
	"genlock.dev/genlock/internal/judge"
	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
)

// Names inside L in which the token dialect keeps who holds it.
const (
	tempPrefix      = ".owner-"
	tempSuffix      = ".tmp"
	quarantineFile  = ".owner-quarantine.json"
	quarantineFiles = ".owner-quarantine-"
)

// bareAge is the dialect's own rule: a lock without a record in any form is live
// for so long. Its maker writes the record at once, and one that was stopped
// before finds its directory gone and starts again.
const bareAge = 10 * time.Second

// identity is one file that says who holds L.
type identity struct {
	file  string
	data  []byte
	rec   *record // nil when it cannot be understood
	token string  // from the record, or from the file's name
	// torn: a record in flight without content, which is worth no more than
	// no record at all.
	torn    bool
	problem string
}

// identities reads who holds the directory: its record first, and what crashes
// left of it. It lists the directory, never its parent.
func identities(d vfs.Dir) ([]identity, error) {
	names, err := d.Names(0)
	if err != nil {
		return nil, missingIsFine(err)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	var ids []identity
	for _, name := range names {
		if rank(name) == noIdentity {
			continue
		}
		id, err := readIdentity(d, name)
		if err != nil {
			return nil, err
		}
		if id != nil {
			ids = append(ids, *id)
		}
	}
	return ids, nil
}

const noIdentity = 4

// rank orders the forms of an identity by how much they say about now.
func rank(name string) int {
	switch {
	case name == recordName:
		return 0
	case name == quarantineFile:
		return 1
	case strings.HasPrefix(name, quarantineFiles):
		return 2
	case isTemp(name):
		return 3
	}
	return noIdentity
}

func readIdentity(d vfs.Dir, name string) (*identity, error) {
	data, err := readFile(d, name)
	if data == nil || err != nil {
		return nil, err
	}
	id := &identity{file: name, data: data}
	id.rec, id.problem = parseRecord(data)
	if id.rec != nil {
		id.token = id.rec.Token
	}
	if isTemp(name) {
		id.torn = id.rec == nil
		if id.token == "" {
			id.token = strings.TrimSuffix(strings.TrimPrefix(name, tempPrefix), tempSuffix)
		}
	}
	return id, nil
}

func isTemp(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

const (
	sayHere     = "token=here says that every program runs on this machine"
	sayUnheld   = "this very process took it and could not release it"
	sayOwnToken = "this very process holds its token"
)

// weigh judges one identity.
func (d token) weigh(ctx context.Context, s *slot, id identity) (verdict, error) {
	self := s.env.Machine.Self()
	switch {
	case s.env.Leases.IsOrphan(s.at.Lock, id.token):
		return verdict{answer: judge.Finished, why: sayUnheld}, nil
	case id.rec != nil && id.rec.PID == self.PID && s.env.Leases.Has(generationOfToken(id.token)):
		return verdict{answer: judge.Alive, why: sayOwnToken, self: true}, nil
	case id.torn:
		return unrecorded(s), nil
	case id.rec == nil:
		return verdict{why: id.problem}, nil
	}
	p := id.rec.party(s.dir, s.info.ModTime, s.kind)
	assumed := d.here && p.Record.Hostname == "" && !p.Record.Ours()
	if assumed {
		p.Record.Hostname = self.Hostname
	}
	v, err := weigh(ctx, s.at, p)
	if assumed && v.answer == judge.Gone {
		v.why = fmt.Sprintf(evidence.And, v.why, sayHere)
	}
	return v, err
}

// unrecorded judges a lock without a record in any form, by the dialect's rule.
func unrecorded(s *slot) verdict {
	if age := s.age(); age > bareAge {
		return verdict{answer: judge.Gone, why: fmt.Sprintf(
			"it has had no record for %s, and its own programs take that for abandoned after %s", round(age), bareAge)}
	}
	return verdict{answer: judge.Alive, why: fmt.Sprintf(
		"it has no record yet, which its own programs take for alive for %s", bareAge)}
}

// generationOfToken is the inverse of tokenOf; no id for a token that is not ours.
func generationOfToken(token string) protocol.ID {
	id, _ := protocol.ParseID(strings.ReplaceAll(token, "-", ""))
	return id
}
