package protocol

import (
	"bytes"
	"encoding/hex"
	"time"

	"github.com/google/uuid"
)

// ID names a generation, a claim, a candidate or a nonce: exactly 32 digits of
// 0-9a-f. The zero value "" is no id.
type ID string

// NewID returns a fresh id: a UUIDv7 without dashes, so that it also tells when
// it was made. It fails only when the system has no randomness.
func NewID() (ID, error) {
	u, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	return IDFromUUID(u), nil
}

// IDFromUUID writes u as an id.
func IDFromUUID(u uuid.UUID) ID {
	var buf [32]byte
	hex.Encode(buf[:], u[:])
	return ID(buf[:])
}

// ParseID accepts any 32 lower-case hex digits and nothing else.
func ParseID(s string) (ID, bool) {
	if !isHex(s, 32) {
		return "", false
	}
	return ID(s), true
}

// ParseIDFile reads the content of a file that holds one id. White space around
// it is trimmed, since readers do; writers write exactly the id and a newline.
func ParseIDFile(data []byte) (ID, bool) {
	return ParseID(string(bytes.TrimSpace(data)))
}

// Line is what a file that holds the id contains: the id and a newline.
func (id ID) Line() []byte { return append([]byte(id), '\n') }

// Time returns the moment the id was made, to the millisecond, if it is a
// UUIDv7. It is the maker's clock: it may withhold a verdict, never give one.
func (id ID) Time() (time.Time, bool) {
	u, err := uuid.Parse(string(id))
	if err != nil || u.Version() != 7 || u.Variant() != uuid.RFC4122 {
		return time.Time{}, false
	}
	var ms int64
	for _, b := range u[:6] {
		ms = ms<<8 | int64(b)
	}
	return time.UnixMilli(ms), true
}

func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
