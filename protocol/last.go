package protocol

import (
	"encoding/json"
	"time"

	"genlock.dev/genlock/internal/exact"
)

// Schema is the version of every JSON document that genlock writes beside the
// records of the contract.
const Schema = 1

// Outcomes of a tenure that last.json records.
const (
	OutcomeFailed = "failed"
	OutcomeBroken = "broken"
)

// Last is the content of last.json: the last failed or broken tenure, so that
// those who waited for it learn what happened. It decides nothing.
type Last struct {
	Schema     int    `json:"schema"`
	Generation ID     `json:"generation"`
	Outcome    string `json:"outcome"`
	// Exit is the exit status of the command, -1 when it has none.
	Exit    int       `json:"exit"`
	Message string    `json:"message,omitempty"`
	By      string    `json:"by,omitempty"`
	Time    time.Time `json:"time"`
}

// Encode writes the record as it stands on disk.
func (l *Last) Encode() ([]byte, error) {
	data, err := json.Marshal(l)
	return append(data, '\n'), err
}

// ParseLast reads last.json. A document of a later schema, or none at all, is
// reported as not there: it only informs.
func ParseLast(data []byte) (*Last, bool) {
	var l Last
	if exact.Unmarshal(data, &l) != nil || l.Schema != Schema {
		return nil, false
	}
	if _, ok := ParseID(string(l.Generation)); !ok {
		return nil, false
	}
	return &l, true
}
