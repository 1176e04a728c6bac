package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"genlock.dev/genlock/internal/exact"
)

// MaxRecord is the longest record in bytes that a reader accepts.
const MaxRecord = 1 << 20

// MaxPID is the largest process id that any platform we know gives out. A larger
// number makes a record unusable; nothing is ever signalled for it.
const MaxPID = math.MaxInt32

// Record is the content of owner.json: who holds a generation, or who made a
// claim. Fields of other programs are ignored.
type Record struct {
	Generation ID `json:"generation"`
	// Nonce is what task-complete must hold for this generation.
	Nonce    ID     `json:"completionNonce"`
	Hostname string `json:"hostname"`
	PID      int    `json:"pid"`
	// StartedAt is RFC 3339, for people. It never decides anything.
	StartedAt string `json:"startedAt"`
	// Process is there exactly when genlock wrote the record.
	Process *Process `json:"process,omitempty"`
	About   *About   `json:"about,omitempty"`
	// Hold lists the dialects whose old lock the holder takes as well.
	Hold []string `json:"hold,omitempty"`
}

// Process identifies the holding process beyond its number. Each field may be
// empty when it could not be read; then nothing is concluded from it.
type Process struct {
	Boot     string `json:"boot"`    // kernel's boot id, 32 hex digits
	Machine  string `json:"machine"` // 16 hex digits, see Witness
	PIDNS    Number `json:"pidns"`   // inode of the PID namespace
	TimeNS   Number `json:"timens"`  // inode of the time namespace
	Start    Number `json:"start"`   // start time in the platform's own unit
	Instance ID     `json:"instance"`
	Witness  string `json:"witness"` // WitnessFlock or WitnessNone
	Dev      Number `json:"dev"`     // device of the witness file
	Ino      Number `json:"ino"`     // inode of the witness file
}

// Values of Process.Witness.
const (
	WitnessFlock = "flock"
	WitnessNone  = "none"
)

// About describes the holder to people. It decides nothing.
type About struct {
	Label string   `json:"label,omitempty"`
	Argv  []string `json:"argv,omitempty"`
	CWD   string   `json:"cwd,omitempty"`
	User  string   `json:"user,omitempty"`
}

// Number is an unsigned number of up to 64 bits, written as a JSON string because
// readers in other languages would round it. Readers take a JSON number too.
// Empty means unknown.
type Number string

// UnmarshalJSON accepts a string or a non-negative whole number.
func (n *Number) UnmarshalJSON(data []byte) error {
	text := string(data)
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	if text == "null" {
		text = ""
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return fmt.Errorf("%q is not a number", text)
		}
	}
	*n = Number(text)
	return nil
}

// Ours tells whether genlock wrote the record, so that witness, completion and
// process mean what this module means by them.
func (r *Record) Ours() bool { return r.Process != nil }

// Started returns StartedAt as a time if it is one.
func (r *Record) Started() (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, r.StartedAt)
	return t, err == nil
}

// ErrUnusable is the cause of every record that nothing may be concluded from.
var ErrUnusable = errors.New("unusable record")

// ParseRecord reads owner.json. It fails with ErrUnusable, and says why, unless
// the generation, the nonce and the host name are there and the pid is a
// positive number the platform can have.
func ParseRecord(data []byte) (*Record, error) {
	if len(data) == 0 {
		return nil, unusable("it is empty")
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, unusable("it holds NUL bytes")
	}
	var r Record
	if err := exact.Unmarshal(data, &r); err != nil {
		return nil, unusable(reason(err))
	}
	if _, ok := ParseID(string(r.Generation)); !ok {
		return nil, unusable("its generation is not 32 hex digits")
	}
	if _, ok := ParseID(string(r.Nonce)); !ok {
		return nil, unusable("its completionNonce is not 32 hex digits")
	}
	if r.Hostname == "" {
		return nil, unusable("it names no host")
	}
	if err := CheckPID(r.PID); err != nil {
		return nil, err
	}
	return &r, nil
}

// CheckPID fails with ErrUnusable for a number no process can have.
func CheckPID(pid int) error {
	if pid < 1 || pid > MaxPID {
		return unusable(fmt.Sprintf("pid %d is not one a process can have", pid))
	}
	return nil
}

func unusable(why string) error { return fmt.Errorf("%w: %s", ErrUnusable, why) }

func reason(err error) string {
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		return fmt.Sprintf("field %s is a %s", typ.Field, typ.Value)
	}
	return "it is not JSON: " + err.Error()
}
