package main

import (
	"slices"
	"strings"
	"testing"
)

// Histories made up by hand. Times are small numbers; k is an ordinary lock, h is held
// together with an old program's, and f lies on the disk that is spoilt.
var testKeys = []*key{
	{Name: "k"},
	{Name: "h", Hold: true, Old: "mkdir"},
	{Name: "o", Old: "mkdir"},
	{Name: "f", Frail: true},
}

func in(at int64, who, key, gen string) event {
	return event{What: enter, Since: at - 1, At: at, Who: who, Key: key, Gen: gen, Old: strings.HasPrefix(gen, "old")}
}

func is(w what, since, at int64, key, gen string) event {
	return event{What: w, Since: since, At: at, Key: key, Gen: gen}
}

func out(at int64, key, gen, text string) []event {
	if strings.HasPrefix(gen, "old") {
		return []event{is(leave, 0, at, key, gen)}
	}
	return []event{is(leave, 0, at, key, gen), {What: released, Since: at, At: at + 1, Key: key, Gen: gen, Text: text}}
}

func killed(at int64, who string) event { return event{What: kill, At: at, Who: who} }

func story(parts ...any) (all []event) {
	for _, p := range parts {
		switch p := p.(type) {
		case event:
			all = append(all, p)
		case []event:
			all = append(all, p...)
		}
	}
	return all
}

// TestCheckerFlags: each broken promise is found, by the rule that names it, in
// whatever order the events come, and nothing else is.
func TestCheckerFlags(t *testing.T) {
	insideOf := func(at int64, key, gen, other string) event {
		return event{What: inside, At: at, Key: key, Gen: gen, Other: other}
	}
	for name, c := range map[string]struct {
		rule  string
		story []event
	}{
		"overlap": {"two held the lock at once",
			story(in(10, "a", "k", "A"), in(15, "b", "k", "B"), out(20, "k", "A", "ok"), out(30, "k", "B", "ok"))},
		"overlap with one who was killed later": {"two held the lock at once",
			story(in(10, "a", "k", "A"), in(15, "b", "k", "B"), killed(16, "a"), out(30, "k", "B", "ok"))},
		"overlap with one who never ended": {"two held the lock at once",
			story(in(10, "a", "k", "A"), in(15, "b", "k", "B"), out(30, "k", "B", "ok"))},
		"overlap with the second but last": {"two held the lock at once",
			story(in(10, "a", "k", "A"), is(breaking, 0, 11, "k", "A"), in(15, "b", "k", "B"), out(18, "k", "B", "ok"),
				in(19, "c", "k", "C"), in(20, "d", "k", "D"), out(30, "k", "C", "ok"), out(31, "k", "D", "ok"), out(40, "k", "A", "lost"))},
		"broken only after the successor entered": {"two held the lock at once",
			story(in(10, "a", "k", "A"), in(15, "b", "k", "B"), is(breaking, 0, 16, "k", "A"), out(20, "k", "A", "lost"), out(30, "k", "B", "ok"))},
		"broken, and released as if held": {"two held the lock at once",
			story(in(10, "a", "k", "A"), is(breaking, 0, 11, "k", "A"), in(15, "b", "k", "B"), out(20, "k", "A", "ok"), out(30, "k", "B", "ok"))},
		"the same without a successor": {"a broken generation was released as if it were held",
			story(in(10, "a", "k", "A"), is(breaking, 0, 11, "k", "A"), is(broke, 11, 12, "k", "A"), out(20, "k", "A", "ok"))},
		"a command that outlived its holder": {"two held the lock at once",
			story(in(10, "a", "k", "A"), killed(12, "a"), is(done, 0, 20, "k", "A"), in(15, "b", "k", "B"), out(30, "k", "B", "ok"))},
		"a member of another house": {"two held the lock at once",
			story(in(10, "h1.0/0", "k", "A"), killed(12, "h1.1"), killed(12, "h1"), in(15, "b", "k", "B"), out(30, "k", "B", "ok"))},
		"a generation twice": {"a generation was acquired twice",
			story(in(10, "a", "k", "A"), out(12, "k", "A", "ok"), in(15, "b", "k", "A"))},
		"the section was not empty": {"somebody else was in the section",
			story(in(10, "a", "k", "A"), out(20, "k", "A", "ok"), in(21, "b", "k", "B"), insideOf(22, "k", "B", "A"), out(30, "k", "B", "ok"))},
		"somebody nameless": {"somebody nameless was in the section",
			story(in(21, "b", "k", "B"), insideOf(22, "k", "B", ""), out(30, "k", "B", "ok"))},
		"with an old program, not told": {"two held the lock at once",
			story(in(10, "a", "h", "A"), in(15, "o", "h", "old1"), out(20, "h", "A", "ok"), out(30, "h", "old1", ""))},
		"taken from a live old program": {"two held the lock at once",
			story(in(10, "o", "o", "old1"), event{What: enter, Since: 12, At: 15, Who: "a", Key: "o", Gen: "A"}, out(20, "o", "A", "ok"), out(30, "o", "old1", ""))},
		"lost without a cause": {"a lock was reported as lost that nobody took",
			story(in(10, "a", "k", "A"), out(20, "k", "A", "lost"))},
		"lost before it was broken": {"a lock was reported as lost that nobody took",
			story(in(10, "a", "k", "A"), is(lost, 11, 12, "k", "A"), is(breaking, 0, 15, "k", "A"), is(broke, 15, 16, "k", "A"), out(20, "k", "A", "lost"))},
		"published after the break": {"a broken generation published",
			story(in(10, "a", "k", "A"), is(breaking, 0, 11, "k", "A"), is(broke, 11, 12, "k", "A"), is(publishing, 0, 13, "k", "A"), is(leave, 0, 13, "k", "A"), is(published, 13, 14, "k", "A"))},
		"published after the successor": {"a generation published after its successor had entered",
			story(in(10, "a", "k", "A"), is(breaking, 0, 11, "k", "A"), is(publishing, 0, 16, "k", "A"), is(leave, 0, 16, "k", "A"),
				in(17, "b", "k", "B"), is(published, 18, 19, "k", "A"), out(30, "k", "B", "ok"))},
		"torn":                {"an artifact is not whole", story(is(torn, 10, 11, "k", ""))},
		"adopted from nobody": {"an artifact is there that nobody had built", story(is(adopted, 10, 11, "k", "A"))},
		"adopted before it was built": {"an artifact is there that nobody had built",
			story(is(adopted, 10, 11, "k", "A"), is(publishing, 0, 12, "k", "A"))},
		"adopted and not there": {"what was adopted is not there, and nobody removed it",
			story(is(missing, 10, 11, "k", ""))},
		"removed long before": {"what was adopted is not there, and nobody removed it",
			story(in(1, "a", "k", "A"), is(removing, 0, 2, "k", "A"), out(3, "k", "A", "ok"), is(missing, 10, 11, "k", ""))},
		"an error on a sound disk": {"an error without a cause",
			story(is(odd, 10, 11, "k", ""), event{What: fault, Since: 5, At: 20})},
		"an error before the disk was spoilt": {"an error without a cause",
			story(is(odd, 10, 11, "f", ""), event{What: fault, Since: 12, At: 20})},
		"an error after it was mended": {"an error without a cause",
			story(is(odd, 10, 11, "f", ""), event{What: fault, Since: 5, At: 9})},
		"a failed release": {"an error without a cause", story(in(10, "a", "k", "A"), out(20, "k", "A", "disk full"))},
	} {
		forwards := check(testKeys, c.story)
		backwards := slices.Clone(c.story)
		slices.Reverse(backwards)
		for _, found := range [][]violation{forwards, check(testKeys, backwards)} {
			if len(found) == 0 {
				t.Errorf("%s: not found", name)
			}
			if !slices.ContainsFunc(found, func(v violation) bool { return v.Rule == c.rule && len(v.Evidence) > 0 }) {
				t.Errorf("%s: found %v, want %q", name, found, c.rule)
			}
		}
	}
}

// TestCheckerPasses: what is promised to nobody is no violation.
func TestCheckerPasses(t *testing.T) {
	for name, s := range map[string][]event{
		"turns":                   story(in(10, "a", "k", "A"), out(20, "k", "A", "ok"), in(21, "b", "k", "B"), out(30, "k", "B", "ok")),
		"two locks":               story(in(10, "a", "k", "A"), in(15, "b", "f", "B"), out(20, "k", "A", "ok"), out(30, "f", "B", "ok")),
		"a killed holder":         story(in(10, "a", "k", "A"), killed(12, "a"), in(13, "b", "k", "B"), out(30, "k", "B", "ok")),
		"a killed house":          story(in(10, "h.0/1", "k", "A"), killed(12, "h.0"), in(13, "b", "k", "B"), out(30, "k", "B", "ok")),
		"a killed holder's files": story(in(10, "a", "k", "A"), killed(12, "a"), in(13, "b", "k", "B"), event{What: inside, At: 14, Key: "k", Gen: "B", Other: "A"}, out(30, "k", "B", "ok")),
		"broken and told":         story(in(10, "a", "k", "A"), is(breaking, 0, 11, "k", "A"), in(15, "b", "k", "B"), is(broke, 11, 16, "k", "A"), out(20, "k", "A", "lost"), out(30, "k", "B", "ok")),
		"broken before it knew":   story(is(breaking, 0, 8, "k", "B"), is(broke, 8, 9, "k", "B"), in(10, "a", "k", "A"), in(15, "b", "k", "B"), out(20, "k", "B", "lost"), out(30, "k", "A", "ok")),
		"broken before it knew, while another publishes": story(is(breaking, 0, 8, "k", "B"), is(broke, 8, 9, "k", "B"), in(10, "a", "k", "A"), in(15, "b", "k", "B"), out(16, "k", "B", "lost"), is(publishing, 0, 17, "k", "A"), is(leave, 0, 17, "k", "A"), is(published, 18, 19, "k", "A")),
		"broken and killed":        story(in(10, "a", "k", "A"), is(breaking, 0, 11, "k", "A"), in(15, "b", "k", "B"), killed(20, "a"), out(30, "k", "B", "ok")),
		"published before it lost": story(in(10, "a", "k", "A"), is(publishing, 0, 12, "k", "A"), is(leave, 0, 12, "k", "A"), is(breaking, 0, 12, "k", "A"), is(published, 12, 18, "k", "A"), is(broke, 12, 13, "k", "A")),
		"a command":                story(in(10, "a", "k", "A"), killed(12, "a"), is(done, 0, 20, "k", "A"), in(21, "b", "k", "B"), out(30, "k", "B", "ok")),
		"an old thief, and told":   story(in(10, "a", "h", "A"), in(15, "o", "h", "old1"), out(20, "h", "A", "lost"), out(30, "h", "old1", "")),
		"old ones among them":      story(in(10, "o", "h", "old1"), in(15, "p", "h", "old2"), out(20, "h", "old1", ""), out(30, "h", "old2", "")),
		"observed by nobody":       story(in(10, "a", "o", "A"), in(15, "o", "o", "old1"), out(20, "o", "A", "ok"), out(30, "o", "old1", "")),
		"removed and missing":      story(in(8, "a", "k", "A"), is(removing, 0, 9, "k", "A"), is(missing, 10, 12, "k", ""), out(20, "k", "A", "ok")),
		"adopted":                  story(in(8, "a", "k", "A"), is(publishing, 0, 9, "k", "A"), is(leave, 0, 9, "k", "A"), is(adopted, 8, 12, "k", "A")),
		"a spoilt disk":            story(is(odd, 10, 15, "f", ""), event{What: fault, Since: 12, At: 20}),
		"an honest no":             story(is(refused, 10, 15, "k", "")),
	} {
		if found := check(testKeys, s); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}
