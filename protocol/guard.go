package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"genlock.dev/genlock/internal/exact"
)

// States of a guard.
const (
	GuardPending = "pending"
	GuardUnknown = "unknown"
)

// Guard says that a command of a generation may still run although its holder is
// gone. Only the ttsc format has them.
type Guard struct {
	Version       int      `json:"version"`
	TaskToken     string   `json:"taskToken"`
	BoundaryToken string   `json:"boundaryToken"`
	State         string   `json:"state"`
	FenceRoot     string   `json:"fenceRoot"`
	RetainedPaths []string `json:"retainedPaths"`
	Generation    ID       `json:"generation,omitempty"`
	Nonce         ID       `json:"completionNonce,omitempty"`
	Reason        string   `json:"reason,omitempty"`
}

// guardPrefix begins the task token of a guard that genlock made.
const guardPrefix = "genlock-"

// GuardToken is the task token of a guard that genlock makes for generation.
func GuardToken(generation ID) string { return guardPrefix + string(generation) }

// Ours tells whether genlock made the guard, for the generation it names: then the
// generation's own witness tells when its command is gone.
func (g *Guard) Ours() bool {
	return g.State == GuardPending && g.Generation != "" && g.TaskToken == GuardToken(g.Generation)
}

// Name is the file name of the guard.
func (g *Guard) Name() string {
	return hash(g.TaskToken) + "-" + hash(g.BoundaryToken) + ".json"
}

// Encode writes the guard as it stands on disk.
func (g *Guard) Encode() ([]byte, error) {
	data, err := json.Marshal(g)
	return append(data, '\n'), err
}

// ParseGuard reads a guard. Whatever it does not accept binds everybody as a
// malformed guard does.
func ParseGuard(name string, data []byte) (*Guard, error) {
	var g Guard
	if err := exact.Unmarshal(data, &g); err != nil {
		return nil, fmt.Errorf("guard %s is not JSON: %w", name, err)
	}
	switch {
	case g.Version != 1:
		return nil, fmt.Errorf("guard %s has version %d", name, g.Version)
	case g.State != GuardPending && g.State != GuardUnknown:
		return nil, fmt.Errorf("guard %s has the state %q", name, printable(g.State))
	case g.Name() != name:
		return nil, fmt.Errorf("guard %s does not carry its own tokens", name)
	}
	if _, ok := ParseID(string(g.Generation)); g.Generation != "" && !ok {
		return nil, fmt.Errorf("guard %s names no generation", name)
	}
	return &g, nil
}

// Binds tells whether the guard forbids others to retire or collect generation:
// one without a generation binds every one.
func (g *Guard) Binds(generation ID) bool {
	return g.Generation == "" || g.Generation == generation
}

// IsGuardName tells whether name can be a guard; other names in that directory
// are writes in flight.
func IsGuardName(name string) bool {
	s, ok := strings.CutSuffix(name, ".json")
	return ok && len(s) == 129 && s[64] == '-' && isHex(s[:64], 64) && isHex(s[65:], 64)
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
