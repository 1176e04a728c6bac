package lab

import (
	"testing"

	"genlock.dev/genlock/internal/vfs"
	"genlock.dev/genlock/protocol"
	"genlock.dev/genlock/retire"
)

// TestBudgetReachesEverything: tombstones that have to stay, more of them than one
// collection looks at, do not keep the others from being collected. A listing comes
// in one order every time.
func TestBudgetReachesEverything(t *testing.T) {
	const stuck = 12
	s := newScene(verb{prepare: used}, plain)
	defer s.close()
	plantTombstone := func(record string) {
		id, err := s.w.clock.newID()
		must(err)
		dir := rootPath + "/" + protocol.RetiredName + "/" + string(id) + "/"
		must(s.w.disk.WriteFile(dir+protocol.GenerationName, string(id)+"\n"))
		must(s.w.disk.WriteFile(dir+protocol.RecordName, record))
	}
	for range stuck {
		plantTombstone("") // nobody knows whose it was
	}
	s.take(s.b)
	must(s.b.fs.Rename(rootPath+"/"+protocol.CurrentName, rootPath+"/"+protocol.RetiredName+"/"+string(s.id), vfs.Plain))
	s.b.kill()
	must(s.w.disk.MkdirAll(rootPath+"/"+protocol.CandidateName(s.id), 0o755))
	root := s.w.open(s.a)
	defer root.Close()
	for n := 1; s.w.exists(rootPath + "/" + protocol.RetiredName + "/" + string(s.id)); n++ {
		if n > 10*stuck {
			t.Fatalf("not collected in %d turns", n)
		}
		done, err := retire.Collect(s.a.ctx, root, 1)
		if err != nil || done.Tombstones+done.Litter+done.Kept > 2 {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	if done, err := retire.Collect(s.a.ctx, root, 0); err != nil || done.Kept != stuck+1 {
		t.Errorf("%+v, %v; want %d tombstones and a young candidate kept", done, err, stuck)
	}
}
