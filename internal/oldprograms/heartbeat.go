package oldprograms

import (
	"errors"
	"time"
)

// Heartbeat is a process of proper-lockfile with its defaults.
type Heartbeat struct {
	Self
	Stale time.Duration // 0 is the default of 10 s
	mtime time.Time
	// probed: it knows how fine modification times are here.
	probed bool
	// Compromised: the program found out that somebody took its lock away.
	Compromised bool
}

func (p *Heartbeat) stale() time.Duration {
	if p.Stale == 0 {
		return 10 * time.Second
	}
	return p.Stale
}

// Try implements Program. A stale lock is removed by path and taken at once; the
// directory that rmdir removes may be a successor's. That mistake is its own.
func (p *Heartbeat) Try(lock string) (bool, error) {
	err := p.mkdir(lock)
	if err == nil {
		return p.begin(lock)
	}
	if !occupied(err) {
		return false, err
	}
	info, err := p.stat(lock)
	if missing(err) {
		return p.again(lock)
	}
	if err != nil || !info.ModTime.Before(p.Now().Add(-p.stale())) {
		return false, err
	}
	if err := p.rmdir(lock); err != nil && !missing(err) {
		return false, err
	}
	return p.again(lock)
}

func (p *Heartbeat) again(lock string) (bool, error) {
	err := p.mkdir(lock)
	if err == nil {
		return p.begin(lock)
	}
	if occupied(err) {
		return false, nil
	}
	return false, err
}

func (p *Heartbeat) begin(lock string) (bool, error) {
	p.Compromised = false
	if !p.probed {
		// Off the second, and so up to a second ahead.
		second := p.Now().Add(time.Second - 1).Truncate(time.Second)
		if err := p.touch(lock, second.Add(5*time.Millisecond)); err != nil {
			return false, err
		}
		p.probed = true
	}
	info, err := p.stat(lock)
	p.mtime = info.ModTime
	return err == nil, err
}

// Refresh is what its timer does every 5 s.
func (p *Heartbeat) Refresh(lock string) error {
	info, err := p.stat(lock)
	if missing(err) || err == nil && !info.ModTime.Equal(p.mtime) {
		p.Compromised = true
		return errors.New("ECOMPROMISED")
	}
	if err != nil {
		return err
	}
	now := p.Now().Truncate(time.Millisecond)
	if err := p.touch(lock, now); err != nil {
		p.Compromised = missing(err)
		return err
	}
	p.mtime = now
	return nil
}

// Release implements Program.
func (p *Heartbeat) Release(lock string) error { return missingIsFine(p.rmdir(lock)) }
