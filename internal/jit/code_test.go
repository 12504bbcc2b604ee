//go:build amd64 && (unix || windows)

package jit

import (
	"bytes"
	"compress/gzip"
	"io"
	"runtime"
	"runtime/pprof"
	"sync"
	"testing"
	"unsafe"
)

// load maps what the assembler holds and frees it when the test ends.
func load(t testing.TB, a *Assembler) *Code {
	t.Helper()
	text, err := a.Code()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Map(text)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestAvailable(t *testing.T) {
	if err := Available(); err != nil {
		t.Fatal(err)
	}
}

func TestMapNothing(t *testing.T) {
	if _, err := Map(nil); err == nil {
		t.Fatal("no code was mapped without an error")
	}
}

// TestEntries calls two entries of one Code that spans pages.
func TestEntries(t *testing.T) {
	var a Assembler
	a.Align(64)
	first := a.Offset()
	again := a.NewLabel()
	a.Bind(again)
	a.MOV(RAX, Mem{Base: RDI})
	a.ADD(RAX, RAX)
	a.MOV(Mem{Base: RDI}, RAX)
	a.VZEROUPPER()
	a.RET()
	a.Align(4096)
	second := a.Offset()
	a.MOV(RAX, Mem{Base: RDI})
	a.ADD(Mem{Base: RDI}, RAX)
	a.JMP(again)
	if first != 0 || second != 4096 {
		t.Fatalf("entries at %d and %d", first, second)
	}

	c := load(t, &a)
	v := int64(21)
	if c.Call(first, unsafe.Pointer(&v)); v != 42 {
		t.Errorf("first entry: %d, want 42", v)
	}
	if c.Call(second, unsafe.Pointer(&v)); v != 168 {
		t.Errorf("second entry: %d, want 168", v)
	}
}

func TestClosedCodePanics(t *testing.T) {
	var a Assembler
	a.RET()
	c := load(t, &a)
	calls := func(offset uintptr) (panicked bool) {
		defer func() { panicked = recover() != nil }()
		c.Call(offset, nil)
		return false
	}
	if calls(0) {
		t.Error("the first byte cannot be called")
	}
	if !calls(1) {
		t.Error("an offset behind the code did not panic")
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !calls(0) {
		t.Error("closed code did not panic")
	}
}

// clobber overwrites every register that generated code may, then returns.
func clobber(a *Assembler) {
	for r := RAX; r <= R15; r++ {
		if r != RSP && r != RBP {
			a.MOV(r, Imm(0x5555_5555_5555_5555))
		}
	}
	if HasAVX512() {
		for n := range 32 {
			a.VPTERNLOGQ(Z(n), Z(n), Z(n), 0xff)
		}
	} else if HasAVX2() {
		for n := range 16 {
			a.VMOVDQU(Y(n), Mem{Base: RSP}) // the return address, for one
		}
	}
	a.VZEROUPPER()
	a.RET()
}

// TestClobberedRegisters lets Go work on after every register was overwritten: with its goroutine, its zero register,
// its heap.
func TestClobberedRegisters(t *testing.T) {
	var a Assembler
	clobber(&a)
	c := load(t, &a)
	for i := range 1000 {
		x := [...]int{i, i + 1, i + 2}
		c.Call(0, nil)
		var zero [64]byte
		fresh := make([]byte, 1000+i)
		if zero != [64]byte(make([]byte, 64)) || bytes.Count(fresh, []byte{0}) != len(fresh) || x[2]-x[0] != 2 {
			t.Fatal("Go's registers were not restored")
		}
		runtime.Gosched()
	}
}

// counting adds args[1] to args[0], one at a time.
func counting(a *Assembler) {
	a.MOV(RCX, Mem{Base: RDI, Disp: 8})
	loop := a.Here()
	a.ADD(Mem{Base: RDI}, Imm(1))
	a.DEC(RCX)
	a.JNE(loop)
	clobber(a)
}

// TestUnderCollection calls from many goroutines, with arguments on moving stacks, while others collect garbage.
func TestUnderCollection(t *testing.T) {
	var a Assembler
	counting(&a)
	c := load(t, &a)
	stop := make(chan struct{})
	var collectors, callers sync.WaitGroup
	for range 2 {
		collectors.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					runtime.GC()
				}
			}
		})
	}
	for range 4 {
		callers.Go(func() {
			for i := range 300 {
				if got := countDeep(c, 1+i%50); got != 5000 {
					t.Errorf("counted to %d, want 5000", got)
				}
			}
		})
	}
	callers.Wait()
	close(stop)
	collectors.Wait()
}

// countDeep calls at the bottom of a stack that has grown and will shrink.
//
//go:noinline
func countDeep(c *Code, depth int) int64 {
	var pad [512]byte
	if depth > 0 {
		got := countDeep(c, depth-1)
		return got + int64(pad[depth])
	}
	args := [2]int64{0, 5000}
	c.Call(0, unsafe.Pointer(&args))
	return args[0]
}

// TestUnderProfiler takes samples inside generated code, which has no symbols for the runtime to find.
func TestUnderProfiler(t *testing.T) {
	var a Assembler
	counting(&a)
	c := load(t, &a)
	var compressed bytes.Buffer
	if err := pprof.StartCPUProfile(&compressed); err != nil {
		t.Skipf("another profile is being taken: %v", err)
	}
	const calls = 5000
	args := [2]int64{0, 100_000}
	for range calls {
		c.Call(0, unsafe.Pointer(&args))
	}
	pprof.StopCPUProfile()
	if args[0] != calls*args[1] {
		t.Errorf("counted to %d, want %d", args[0], calls*args[1])
	}
	unpacked, err := gzip.NewReader(&compressed)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(profile, []byte("runtime._ExternalCode")) {
		t.Error("no sample was taken in generated code")
	}
}

// BenchmarkCall is the price of one call: an empty kernel.
func BenchmarkCall(b *testing.B) {
	var a Assembler
	a.VZEROUPPER()
	a.RET()
	c := load(b, &a)
	var args [8]uint64
	for b.Loop() {
		c.Call(0, unsafe.Pointer(&args))
	}
}

// BenchmarkAssemble is the price of one instruction of a kernel.
func BenchmarkAssemble(b *testing.B) {
	b.ReportAllocs()
	text := make([]byte, 0, 1<<20)
	for b.Loop() {
		a := Assembler{text: text}
		for i := range 1000 {
			a.VPTERNLOGQ(Z(i&31), Z(i>>1&31), Mem{Base: RDI, Disp: int32(i) * 64}, uint8(i))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/instruction")
}
