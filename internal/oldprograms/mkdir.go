package oldprograms

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Mkdir is a process of ttsc 0.18.
type Mkdir struct{ Self }

const recordless = 30 * time.Second

type owner struct {
	Generation string `json:"generation,omitempty"`
	Hostname   string `json:"hostname"`
	PID        int    `json:"pid"`
	StartedAt  string `json:"startedAt,omitempty"`
}

// Try implements Program.
func (p *Mkdir) Try(lock string) (bool, error) {
	err := p.mkdir(lock)
	if err == nil {
		p.writeOwner(lock, "") // best effort
		return true, nil
	}
	if !occupied(err) {
		return false, fmt.Errorf("building without a lock: %w", err)
	}
	if p.abandoned(lock) {
		return false, p.rmAll(lock)
	}
	return false, nil
}

// abandoned takes a lock that vanished between two looks for infinitely old; the
// rmAll that follows then hits a successor. That mistake is its own.
func (p *Mkdir) abandoned(lock string) bool {
	if o := p.readOwner(lock); o != nil {
		return p.dead(o)
	}
	info, err := p.stat(lock)
	return err != nil || p.Now().Sub(info.ModTime) > recordless
}

// Steal is what it does after waiting for 10 min, whoever holds.
func (p *Mkdir) Steal(lock string) error { return p.rmAll(lock) }

// Release implements Program.
func (p *Mkdir) Release(lock string) error { return p.rmAll(lock) }

func (s *Self) writeOwner(dir, generation string) error {
	data, _ := json.MarshalIndent(owner{generation, s.Host, s.PID, s.Now().UTC().Format(time.RFC3339Nano)}, "", "  ")
	return s.write(dir+"/owner.json", append(data, '\n'))
}

func (s *Self) readOwner(dir string) *owner {
	data, err := s.read(dir + "/owner.json")
	if err != nil {
		return nil
	}
	var o owner
	if json.Unmarshal(data, &o) != nil || o.Hostname == "" || o.PID <= 0 {
		return nil
	}
	return &o
}

func (s *Self) dead(o *owner) bool {
	return strings.EqualFold(o.Hostname, s.Host) && !s.Alive(o.PID)
}
