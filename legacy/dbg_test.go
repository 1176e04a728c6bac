package legacy_test
import ("testing";"time")
func TestDbg(t *testing.T){
	w,_ := crashedAt(t,"mkdir,v2",starts("mkdir,v2","v2")["a dead old holder"],true,26)
	t.Log(w.disk.Dump())
	p := w.proc()
	p.before = noReplaceRefused
	for i:=0;i<2;i++{
	l,s,err := p.acquire(mustParse(t,"mkdir,v2"),true,1)
	t.Log(l,s,err)
	}
	t.Log(w.disk.Dump())
	w.pass(31*time.Second)
	for i:=0;i<4;i++{
	l,s,err := p.acquire(mustParse(t,"mkdir,v2"),true,1)
	t.Log(l,s,err)
	}
}
