package ptx_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/ptx/ptxtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// everything is a module with every instruction once, two kernels and a loop.
func everything() *ptx.Module {
	var m ptx.Module
	k := m.Kernel("first", 32, 8)
	in, out, n := k.Param64(), k.Param64(), k.Param32()
	lane := k.Special("tid.x")
	i := k.MulAdd(k.Special("ctaid.x"), k.Const(32), lane)
	k.ReturnIf(k.Compare("ge", i, n))
	a := k.MulWideN(i, 8, in)
	k.Prefetch(a)
	pair := k.Load(a, 0, 2)
	x, y := pair[0], pair[1]
	k.Comment("arithmetic")
	sum := k.Add(k.AddN(x, 3), k.Sub(y, k.Mul(x, k.MulN(y, 5))))
	sum = k.Add(sum, k.Add(k.DivU(x, n), k.Add(k.RemU(y, n), k.Div(x, n))))
	sum = k.Add(k.Min(sum, k.MaxN(x, -7)), k.Max(y, k.MinN(x, 9)))
	k.Comment("bits")
	bits := k.Lop3(0x96, k.ShlN(x, 3), k.ShrN(y, 5), k.SarN(x, 2))
	bits = k.Or(k.AndN(bits, 0xF0F0), k.And(k.Not(bits), k.OrN(k.Shl(x, lane), 1)))
	bits = k.Lop3(0xE8, bits, k.FunnelR(x, y, 7), k.FunnelL(x, y, 9))
	bits = k.Add(bits, k.Add(k.Popc(k.Shr(bits, lane)), k.BitMask(x, 4)))
	k.Comment("lanes")
	bits = k.Lop3(0x96, k.ShuffleUp(bits, 1), k.ShuffleDown(bits, 2), k.ShuffleFrom(bits, k.AndN(sum, 31)))
	k.Comment("predicates")
	p := k.Below(x, y)
	q := k.AndPred(k.BelowAnd(sum, n, p), k.CompareN("ne", sum, 0))
	bits = k.Select(q, bits, k.SelectN(p, 1, -1))
	k.Comment("long numbers")
	long := k.Add64(k.Mul64(k.Wide(bits), k.Const64(0x9E3779B97F4A7C15)),
		k.Xor64(k.WideS(sum), k.Shr64N(k.Add64N(a, 4), 3)))
	small := k.Select(k.Below64(long, a), x, k.Low(long))
	b := k.MulWide(i, k.Const(8), out)
	k.Store(b, 0, small, bits)
	k.StoreIf(p, b, 4, sum)
	k.AddAtomic(out, long)
	k.MinAtomic(out, 8, sum)
	k.MaxAtomic(out, 12, k.Clz(bits))

	s := m.Kernel("second", 32, 0)
	address := s.Param64()
	at, total, count := s.NewB32(), s.NewB32(), s.NewB64()
	start := s.MulAdd(s.Special("tid.x"), s.Const(16), s.Shared())
	s.Move(at, start)
	s.Assign(total, 0)
	s.Assign64(count, 0)
	top, end, skip := s.NewLabel(), s.NewLabel(), s.NewLabel()
	s.Place(top)
	s.StoreShared(at, 0, at, total, at, total)
	four := s.LoadShared(at, 0, 4)
	s.Move(total, s.Add(four[0], four[3]))
	s.DivergeIf(s.CompareN("lt", total, 100), skip)
	s.Increase(total, 1)
	s.Place(skip)
	s.Increase64(count, s.Wide(total))
	s.Increase(at, 512)
	s.BranchUnless(s.CompareN("lt", at, 2048), end)
	s.BranchIf(s.CompareN("le", at, 4096), top)
	s.Branch(end)
	s.Place(end)
	s.Move64(count, s.Add64(count, s.Const64(1)))
	to := s.MulWideN(s.Special("tid.x"), 4, address)
	s.Store(to, 0, s.Add(s.Low(count), s.LoadChanging(to, 0, 1)[0]))

	w := m.Kernel("third", 32, 0)
	shared, list := w.Shared(), w.Param64()
	own := w.Special("tid.x")
	w.StoreShared(shared, 0, own, own)
	w.WarpBarrier()
	w.AddShared(shared, 4, own)
	w.BlockBarrier()
	place := w.FetchAddShared(shared, 0, w.FetchMinShared(shared, 4, w.Reverse(own)))
	odd := w.CompareN("ne", w.AndN(w.Ballot(w.CompareN("lt", place, 5)), 1), 0)
	over := w.NewLabel()
	w.DivergeUnless(odd, over)
	w.Store(list, 8, w.Add(w.FetchAdd(list, 0, place), w.Low(w.Load64(list, 16))))
	w.Place(over)
	w.Trap(w.CompareN("gt", own, 31))
	tagged := w.NewB64()
	w.Move64(tagged, w.Pair(own, place))
	w.StoreTaggedIf(odd, list, 24, tagged)
	w.LoadTaggedIf(odd, tagged, list, 24)
	w.StoreSharedIf(odd, shared, 4, own)
	w.OrAtomicIf(odd, list, 8, w.FunnelRBy(own, w.ReverseBytes(place), w.Low(tagged)))
	return &m
}

func TestGolden(t *testing.T) {
	const name = "testdata/everything.ptx"
	got := everything().String()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// Where NVIDIA's assembler is installed it must take the text.
func TestAssembles(t *testing.T) {
	ptxas, err := exec.LookPath("ptxas")
	if err != nil {
		t.Skip("no ptxas")
	}
	for _, arch := range []string{"sm_80", "sm_90"} {
		out := filepath.Join(t.TempDir(), "out.cubin")
		if text, err := exec.Command(ptxas, "-arch="+arch, "-o", out, "testdata/everything.ptx").
			CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", arch, err, text)
		}
	}
}

// The host's executor knows every instruction the emitter writes.
func TestParses(t *testing.T) {
	programs, err := ptxtest.Parse(everything().String())
	if err != nil {
		t.Fatal(err)
	}
	if programs["first"] == nil || programs["second"] == nil || programs["first"].Params != 3 {
		t.Errorf("got %v", programs)
	}
}
