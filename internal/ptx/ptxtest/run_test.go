package ptxtest_test

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/ptx/ptxtest"
)

// run executes a kernel that stores a word for each lane, given a word for each.
func run(t *testing.T, in []uint32, write func(k *ptx.Kernel, lane, x ptx.B32) ptx.B32) []uint32 {
	t.Helper()
	var m ptx.Module
	k := m.Kernel("test", 32, 0)
	source, target := k.Param64(), k.Param64()
	lane := k.Special("tid.x")
	k.Store(k.MulWideN(lane, 4, target), 0, write(k, lane, k.Load(k.MulWideN(lane, 4, source), 0, 1)[0]))
	programs, err := ptxtest.Parse(m.String())
	if err != nil {
		t.Fatal(err)
	}
	var mem ptxtest.Memory
	from, to := mem.Alloc(128), mem.Alloc(128)
	for l, v := range in {
		binary.LittleEndian.PutUint32(mem.Bytes(from, 128)[4*l:], v)
	}
	if err := programs["test"].Run(&mem, 1, 1, 32, 0, []uint64{from, to}); err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, 32)
	for l := range out {
		out[l] = binary.LittleEndian.Uint32(mem.Bytes(to, 128)[4*l:])
	}
	return out
}

func words() []uint32 {
	in := make([]uint32, 32)
	x := uint32(2463534242)
	for l := range in {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		in[l] = x
	}
	return in
}

func TestInstructions(t *testing.T) {
	in := words()
	for name, c := range map[string]struct {
		write func(k *ptx.Kernel, lane, x ptx.B32) ptx.B32
		want  func(l int) uint32
	}{
		"lop3": {
			func(k *ptx.Kernel, lane, x ptx.B32) ptx.B32 { return k.Lop3(0xCA, x, lane, k.Not(x)) },
			func(l int) uint32 { return in[l]&uint32(l) | ^in[l]&^in[l] },
		},
		"shuffle down": {
			func(k *ptx.Kernel, _, x ptx.B32) ptx.B32 { return k.ShuffleDown(x, 3) },
			func(l int) uint32 {
				if l+3 < 32 {
					return in[l+3]
				}
				return in[l]
			},
		},
		"shuffle up": {
			func(k *ptx.Kernel, _, x ptx.B32) ptx.B32 { return k.ShuffleUp(x, 1) },
			func(l int) uint32 { return in[max(l-1, 0)] },
		},
		"funnel": {
			func(k *ptx.Kernel, lane, x ptx.B32) ptx.B32 {
				return k.Add(k.FunnelR(x, lane, 5), k.FunnelL(lane, x, 5))
			},
			func(l int) uint32 { return (in[l]>>5 | uint32(l)<<27) + (in[l]<<5 | uint32(l)>>27) },
		},
		"count": {
			func(k *ptx.Kernel, _, x ptx.B32) ptx.B32 { return k.Popc(x) },
			func(l int) uint32 { return uint32(bits.OnesCount32(in[l])) },
		},
		"leading zeros": {
			func(k *ptx.Kernel, lane, x ptx.B32) ptx.B32 { return k.Clz(k.Shr(x, lane)) },
			func(l int) uint32 { return uint32(bits.LeadingZeros32(in[l] >> l)) },
		},
		"every table": { // each table of three inputs for some lane
			func(k *ptx.Kernel, lane, x ptx.B32) ptx.B32 {
				sum := k.Const(0)
				for imm := range 256 {
					sum = k.Add(sum, k.MulN(k.Lop3(uint8(imm), x, lane, k.ShrN(x, 7)), imm+1))
				}
				return sum
			},
			func(l int) (sum uint32) {
				for imm := range uint32(256) {
					var v uint32
					for b := range 32 {
						at := in[l]>>b&1<<2 | uint32(l)>>b&1<<1 | in[l]>>7>>b&1
						v |= imm >> at & 1 << b
					}
					sum += v * (imm + 1)
				}
				return sum
			},
		},
		"reverse": {
			func(k *ptx.Kernel, _, x ptx.B32) ptx.B32 { return k.Reverse(x) },
			func(l int) uint32 { return bits.Reverse32(in[l]) },
		},
		"reverse bytes": {
			func(k *ptx.Kernel, _, x ptx.B32) ptx.B32 { return k.ReverseBytes(x) },
			func(l int) uint32 { return bits.ReverseBytes32(in[l]) },
		},
		"funnel by a register": {
			func(k *ptx.Kernel, lane, x ptx.B32) ptx.B32 { return k.FunnelRBy(x, lane, k.AddN(lane, -3)) },
			func(l int) uint32 { return uint32((uint64(l)<<32 | uint64(in[l])) >> ((l - 3) & 31)) },
		},
		"ballot": {
			func(k *ptx.Kernel, lane, _ ptx.B32) ptx.B32 { return k.Ballot(k.CompareN("lt", lane, 7)) },
			func(int) uint32 { return 127 },
		},
		"divergence": { // lanes leave a loop one after the other and meet again
			func(k *ptx.Kernel, lane, x ptx.B32) ptx.B32 {
				i, top := k.NewB32(), k.NewLabel()
				k.Assign(i, 0)
				k.Place(top)
				k.Increase(i, 2)
				k.DivergeIf(k.Compare("lt", i, lane), top)
				return k.ShuffleFrom(i, k.Const(31))
			},
			func(int) uint32 { return 32 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			for l, got := range run(t, in, c.write) {
				if got != c.want(l) {
					t.Fatalf("lane %d: %08x, want %08x", l, got, c.want(l))
				}
			}
		})
	}
}

// All lanes add to one place.
func TestAtomics(t *testing.T) {
	var m ptx.Module
	k := m.Kernel("test", 32, 0)
	target, lane := k.Param64(), k.Special("tid.x")
	v := k.AddN(k.MulN(lane, 3), -50) // -50 to 43
	k.MinAtomic(target, 0, v)
	k.MaxAtomic(target, 4, v)
	k.AddAtomic(k.Add64N(target, 8), k.Wide(lane))
	programs, err := ptxtest.Parse(m.String())
	if err != nil {
		t.Fatal(err)
	}
	var mem ptxtest.Memory
	at := mem.Alloc(16)
	if err := programs["test"].Run(&mem, 1, 1, 32, 0, []uint64{at}); err != nil {
		t.Fatal(err)
	}
	b := mem.Bytes(at, 16)
	least, most, sum := int32(binary.LittleEndian.Uint32(b)), int32(binary.LittleEndian.Uint32(b[4:])),
		binary.LittleEndian.Uint64(b[8:])
	if least != -50 || most != 43 || sum != 496 {
		t.Errorf("least %d, greatest %d, sum %d", least, most, sum)
	}
}

// What would be a fault or undefined on a GPU is an error that names the instruction.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		write func(k *ptx.Kernel)
		want  string
	}{
		"out of bounds": {func(k *ptx.Kernel) { k.Store(k.Const64(64), 0, k.Const(1)) }, "not allocated"},
		"misaligned":    {func(k *ptx.Kernel) { k.Load(k.Const64(66), 0, 1) }, "not a multiple"},
		"shared":        {func(k *ptx.Kernel) { k.LoadShared(k.Shared(), 1024, 1) }, "of 16 bytes"},
		"uniform": {func(k *ptx.Kernel) {
			l := k.NewLabel()
			k.BranchIf(k.CompareN("lt", k.Special("tid.x"), 7), l)
			k.Place(l)
		}, "disagree"},
		"trap": {func(k *ptx.Kernel) { k.Trap(k.CompareN("eq", k.Special("tid.x"), 7)) }, "gives up"},
		"barrier": {func(k *ptx.Kernel) {
			k.ReturnIf(k.CompareN("lt", k.Special("tid.x"), 7))
			k.WarpBarrier()
		}, "not all lanes"},
		"shuffle": {func(k *ptx.Kernel) {
			k.ReturnIf(k.CompareN("lt", k.Special("tid.x"), 7))
			k.ShuffleUp(k.Const(1), 1)
		}, "not all lanes"},
	} {
		var m ptx.Module
		c.write(m.Kernel("bad", 32, 0))
		programs, err := ptxtest.Parse(m.String())
		if err != nil {
			t.Fatal(err)
		}
		err = programs["bad"].Run(&ptxtest.Memory{}, 1, 1, 32, 16, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Lanes that add to a place in shared memory each see what those before them have made of it.
func TestSharedAtomics(t *testing.T) {
	var m ptx.Module
	k := m.Kernel("test", 32, 0)
	target := k.Param64()
	lane, shared := k.Special("tid.x"), k.Shared()
	k.StoreShared(shared, 0, k.Const(100))
	k.StoreShared(shared, 4, k.Const(0))
	k.WarpBarrier()
	k.FetchMinShared(shared, 0, k.AddN(lane, 40))
	k.AddShared(shared, 4, lane)
	k.WarpBarrier()
	turn := k.FetchAddShared(shared, 0, k.Const(1))
	sum := k.LoadShared(shared, 4, 1)[0]
	k.Store(k.MulWideN(lane, 8, target), 0, turn, k.Add(sum, k.FetchAdd(target, 256, k.Const(2))))
	programs, err := ptxtest.Parse(m.String())
	if err != nil {
		t.Fatal(err)
	}
	var mem ptxtest.Memory
	to := mem.Alloc(260)
	if err := programs["test"].Run(&mem, 1, 1, 32, 8, []uint64{to}); err != nil {
		t.Fatal(err)
	}
	out := mem.Bytes(to, 260)
	for l := range uint32(32) {
		turn, sum := binary.LittleEndian.Uint32(out[8*l:]), binary.LittleEndian.Uint32(out[8*l+4:])
		if turn != 40+l || sum != 31*32/2+2*l {
			t.Errorf("lane %d: %d and %d", l, turn, sum)
		}
	}
}

// relay is a kernel in which each warp waits for the number of the one before, adds its own and hands the sum
// on; warp 0 begins, if it may.
func relay(t *testing.T, warps int, begin bool) (sum uint64, err error) {
	t.Helper()
	var m ptx.Module
	k := m.Kernel("test", 32, 0)
	list, lane := k.Param64(), k.Special("tid.x")
	warp := k.ShrN(k.MulAdd(k.Special("ctaid.x"), k.Special("ntid.x"), lane), 5)
	before := k.MulWideN(k.AddN(warp, -1), 8, list)
	all := k.CompareN("ge", lane, 0)
	got, top, first := k.NewB64(), k.NewLabel(), k.NewLabel()
	k.Assign64(got, 1)
	if begin {
		k.BranchIf(k.CompareN("eq", warp, 0), first)
	}
	k.Place(top)
	k.LoadTaggedIf(all, got, before, 8)
	k.BranchIf(k.CompareN("eq", k.Low(got), 0), top)
	k.Place(first)
	k.StoreTaggedIf(all, before, 16, k.Add64(got, k.Wide(warp)))
	programs, err := ptxtest.Parse(m.String())
	if err != nil {
		t.Fatal(err)
	}
	var mem ptxtest.Memory
	at := mem.Alloc(uint64(8 * (warps + 1)))
	err = programs["test"].Run(&mem, warps/2, 1, 64, 0, []uint64{at})
	return binary.LittleEndian.Uint64(mem.Bytes(at+uint64(8*warps), 8)), err
}

// Warps that wait for each other take turns. Some that wait forever are an error.
func TestWaits(t *testing.T) {
	if sum, err := relay(t, 20, true); sum != 1+19*20/2 || err != nil {
		t.Errorf("got %d, %v", sum, err)
	}
	if _, err := relay(t, 20, false); err == nil || !strings.Contains(err.Error(), "20 warps wait") {
		t.Errorf("none begins: %v", err)
	}
}
