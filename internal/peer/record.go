//go:build unix && !aix

package main

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// record is owner.json, of a holder and of a claim. The first five fields are
// known to every reader; process is what makes a record one of the careful kind.
type record struct {
	Generation      string   `json:"generation"`
	CompletionNonce string   `json:"completionNonce"`
	Hostname        string   `json:"hostname"`
	PID             int64    `json:"pid"`
	StartedAt       string   `json:"startedAt"`
	Process         *process `json:"process,omitempty"`
	About           *about   `json:"about,omitempty"`
}

// process names one process as exactly as the system allows. Each part may be
// empty when it could not be read.
type process struct {
	Boot     text   `json:"boot"`
	Machine  text   `json:"machine"`
	PIDNS    text   `json:"pidns"`
	TimeNS   text   `json:"timens"`
	Start    text   `json:"start"`
	Instance text   `json:"instance"`
	Witness  text   `json:"witness"`
	Dev      number `json:"dev"`
	Ino      number `json:"ino"`
}

type about struct {
	Label string `json:"label"`
}

// text is written as a string. The contract fixes the names of the fields of
// process but not all their JSON types, so it is read from a number as well.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = text(s)
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	*t = text(n)
	return nil
}

// number is written as a number and read from a string as well.
type number uint64

func (n *number) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	if s == "" || s == "null" {
		*n = 0
		return nil
	}
	v, err := strconv.ParseUint(s, 10, 64)
	*n = number(v)
	return err
}

var errUnusable = errors.New("unusable record")

// parseRecord accepts a record that names a possible process, and nothing else.
func parseRecord(b []byte) (*record, error) {
	var r record
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, errors.Join(errUnusable, err)
	}
	if !isHex(r.Generation, 32) || r.PID <= 0 || r.PID > math.MaxInt32 {
		return nil, errUnusable
	}
	return &r, nil
}

// newID returns a fresh id. The careful style makes UUIDv7, because the time in
// it is evidence for others; a foreign program makes any 32 hex digits.
func (p *peer) newID() string {
	var b [16]byte
	rand.Read(b[:])
	if p.careful {
		var ms [8]byte
		binary.BigEndian.PutUint64(ms[:], uint64(time.Now().UnixMilli()))
		copy(b[:6], ms[2:])
		b[6] = b[6]&0x0f | 0x70
		b[8] = b[8]&0x3f | 0x80
	}
	return hex.EncodeToString(b[:])
}

func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

// writeRecord fills dir, a candidate that nobody reads yet, with the record
// and, in the careful style, the witness named by id. It returns the witness
// descriptor or -1. The caller closes it, also when an error came with it.
func (p *peer) writeRecord(dir, id, generation, nonce string) (int, error) {
	r := record{
		Generation:      generation,
		CompletionNonce: nonce,
		Hostname:        p.hostname,
		PID:             p.pid,
		StartedAt:       time.Now().UTC().Format(time.RFC3339),
	}
	witness := -1
	if p.careful {
		fd, at, err := p.makeWitness(dir, id, nonce)
		if err != nil {
			return fd, err
		}
		witness = fd
		self := p.self
		self.Dev, self.Ino = number(at.dev), number(at.ino)
		r.Process, r.About = &self, &about{Label: "peer"}
	}
	b, err := json.Marshal(r)
	if err != nil {
		return witness, err
	}
	return witness, p.writeFile(dir+"/owner.json", append(b, '\n'))
}

// makeWitness locks the file first and gives it its name afterwards: whoever
// can see the name can rely on the lock.
func (p *peer) makeWitness(dir, id, nonce string) (int, dirID, error) {
	raw := dir + "/unnamed"
	fd, err := unix.Open(raw, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return -1, dirID{}, err
	}
	if err := unix.Fchmod(fd, p.mode&0o666); err != nil {
		return fd, dirID{}, err
	}
	if _, err := unix.Write(fd, []byte(nonce+"\n")); err != nil {
		return fd, dirID{}, err
	}
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fd, dirID{}, err
	}
	at, err := identify(fd)
	if err != nil {
		return fd, dirID{}, err
	}
	name := witnessName(id, string(p.self.Machine), string(p.self.Boot))
	return fd, at, unix.Rename(raw, dir+"/"+name)
}

func witnessName(id, machine, boot string) string {
	return "witness." + id + "." + machine + "." + boot
}
