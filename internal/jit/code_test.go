//go:build (amd64 && (unix || windows)) || (arm64 && linux)

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

// load maps the assembled code, and unmaps it when the test ends.
func load(t testing.TB, a *assembler) *Code {
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
	var a assembler
	second := twoEntries(&a)
	if second != 4096 {
		t.Fatalf("the second entry is at %d", second)
	}
	c := load(t, &a)
	v := int64(21)
	if c.Call(0, unsafe.Pointer(&v)); v != 42 {
		t.Errorf("first entry: %d, want 42", v)
	}
	if c.Call(second, unsafe.Pointer(&v)); v != 168 {
		t.Errorf("second entry: %d, want 168", v)
	}
}

// TestFreshCode maps other code again and again where the last one was, and calls it on another thread: what
// processors have fetched of the last one must not run.
func TestFreshCode(t *testing.T) {
	calls := make(chan func())
	defer close(calls)
	done := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		for call := range calls {
			call()
			done <- struct{}{}
		}
	}()
	for i := range 300 {
		var a assembler
		want := int64(10)
		if i%2 == 0 {
			twoEntries(&a)
		} else {
			counting(&a)
			want = 7
		}
		text, err := a.Code()
		if err != nil {
			t.Fatal(err)
		}
		c, err := Map(text)
		if err != nil {
			t.Fatal(err)
		}
		args := [2]int64{5, 2}
		calls <- func() { c.Call(0, unsafe.Pointer(&args)) }
		<-done
		if args[0] != want {
			t.Fatalf("code %d made %d of 5, want %d", i, args[0], want)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestClosedCodePanics(t *testing.T) {
	c, err := Map(ret)
	if err != nil {
		t.Fatal(err)
	}
	calls := func(offset uintptr) (panicked bool) {
		defer func() { panicked = recover() != nil }()
		c.Call(offset, nil)
		return false
	}
	if calls(0) {
		t.Error("the first byte cannot be called")
	}
	if !calls(uintptr(len(ret))) {
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

// TestClobberedRegisters lets Go work on after every register was overwritten: with its goroutine, its zero register,
// its heap.
func TestClobberedRegisters(t *testing.T) {
	var a assembler
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

// TestUnderCollection calls from many goroutines, with arguments on moving stacks, while others collect garbage.
func TestUnderCollection(t *testing.T) {
	var a assembler
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
	var a assembler
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

// BenchmarkCall is the price of one call: code that returns at once.
func BenchmarkCall(b *testing.B) {
	c, err := Map(ret)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	var args [8]uint64
	for b.Loop() {
		c.Call(0, unsafe.Pointer(&args))
	}
}
