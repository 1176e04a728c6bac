package main

import (
	"errors"
	"math"
	"strconv"
	"time"
)

// span is a flag for a time: seconds ("10", "0.5") or a Go duration ("1m30s").
type span struct {
	time.Duration
	set bool
}

func (s *span) String() string {
	if !s.set {
		return ""
	}
	return s.Duration.String()
}

// Type is what help shows.
func (s *span) Type() string { return "T" }

// Set refuses what is no time, or a negative one.
func (s *span) Set(text string) error {
	d, err := time.ParseDuration(text)
	if seconds, nerr := strconv.ParseFloat(text, 64); nerr == nil {
		err = nil
		if !(math.Abs(seconds) < math.MaxInt64/float64(time.Second)) {
			err = strconv.ErrRange
		}
		d = time.Duration(seconds * float64(time.Second))
	}
	switch {
	case err != nil:
		return errors.New("not a time: seconds such as 10 or 0.5, or 1m30s")
	case d < 0:
		return errors.New("a time from now on cannot be negative")
	}
	s.Duration, s.set = d, true
	return nil
}
