package oldprograms

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Token is a process of segreant 0.2, as far as the facts tell.
type Token struct {
	Self
	token string
}

const unrecorded = 10 * time.Second

// ErrOwn is thrown when a process asks for a lock that it holds.
var ErrOwn = errors.New("you already hold this")

type tokenRecord struct {
	PID   int    `json:"pid"`
	Token string `json:"token"`
}

// Try implements Program.
func (p *Token) Try(lock string) (bool, error) {
	err := p.mkdir(lock)
	if err == nil {
		return p.record(lock)
	}
	if !occupied(err) {
		return false, err
	}
	file, data := p.identity(lock)
	if data == nil {
		info, err := p.stat(lock)
		if err != nil || p.Now().Sub(info.ModTime) <= unrecorded {
			return false, nil
		}
		return false, p.away(lock, "", nil, ".quarantine-")
	}
	var r tokenRecord
	if json.Unmarshal(data, &r) != nil || r.PID <= 0 {
		return false, nil
	}
	switch {
	case r.PID == p.PID && r.Token == p.token && p.token != "":
		return false, ErrOwn
	case r.PID != p.PID && p.Alive(r.PID):
		return false, nil
	}
	return false, p.away(lock, file, data, ".quarantine-")
}

func (p *Token) record(lock string) (bool, error) {
	id := p.NewID()
	data, _ := json.Marshal(tokenRecord{p.PID, id})
	temp := lock + "/.owner-" + id + ".tmp"
	if err := p.write(temp, data); err != nil {
		return false, missingIsFine(err)
	}
	if err := p.rename(temp, lock+"/owner.json"); err != nil {
		return false, missingIsFine(err)
	}
	p.token = id
	return true, nil
}

// identity finds the record in whatever form it lies there.
func (p *Token) identity(lock string) (file string, data []byte) {
	for _, name := range []string{"owner.json", ".owner-quarantine.json"} {
		if data, err := p.read(lock + "/" + name); err == nil {
			return name, data
		}
	}
	names, _ := p.list(lock)
	for _, name := range names {
		if strings.HasPrefix(name, ".owner-") {
			data, err := p.read(lock + "/" + name)
			if err == nil && json.Valid(data) {
				return name, data
			}
		}
	}
	return "", nil
}

// away is its way to reclaim and to release.
func (p *Token) away(lock, file string, judged []byte, middle string) error {
	if file != "" {
		kept := lock + "/.owner-quarantine.json"
		if file != ".owner-quarantine.json" {
			if err := p.rename(lock+"/"+file, kept); err != nil {
				return missingIsFine(err)
			}
		}
		if data, err := p.read(kept); err != nil || !bytes.Equal(data, judged) {
			return missingIsFine(p.rename(kept, lock+"/"+file))
		}
	}
	place := lock + middle + strconv.Itoa(p.PID) + "-" + p.NewID()
	if err := p.rename(lock, place); err != nil {
		return missingIsFine(err)
	}
	_, moved := p.identity(place)
	if !bytes.Equal(moved, judged) {
		if _, err := p.stat(lock); missing(err) {
			return missingIsFine(p.rename(place, lock))
		}
		return nil // left for the collector
	}
	return p.rmAll(place)
}

// Release implements Program.
func (p *Token) Release(lock string) error {
	token := p.token
	p.token = ""
	data, err := p.read(lock + "/owner.json")
	if err != nil {
		return missingIsFine(err)
	}
	var r tokenRecord
	if json.Unmarshal(data, &r) != nil || r.Token != token {
		return errors.New("the lock is not ours any more")
	}
	return p.away(lock, "owner.json", data, ".quarantine-release-")
}
