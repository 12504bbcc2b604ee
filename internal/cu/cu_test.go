//go:build linux

package cu

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/dynlib"
)

// fake is the driver made of testdata/fake.c.
type fake struct {
	*Driver
	lib *dynlib.Library
}

func openFake(t *testing.T) fake {
	t.Helper()
	path := build(t)
	d, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	lib, err := dynlib.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f := fake{d, lib}
	f.call(t, "fake_reset")
	return f
}

func build(t *testing.T) string {
	t.Helper()
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to build the stand-in driver with")
	}
	path := filepath.Join(t.TempDir(), "libfake.so")
	if out, err := exec.Command(compiler, "-shared", "-fPIC", "-o", path, "testdata/fake.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func (f fake) call(t *testing.T, name string) uintptr {
	t.Helper()
	fn, err := f.lib.Symbol(name)
	if err != nil {
		t.Fatal(err)
	}
	return dynlib.Call(fn)
}

// log is what the driver was asked since the last log.
func (f fake) log(t *testing.T) string {
	t.Helper()
	text := dynlib.String(f.call(t, "fake_log"))
	f.call(t, "fake_reset")
	return strings.TrimSpace(text)
}

func TestNoDriver(t *testing.T) {
	_, err := load("libthere-is-no-such-library.so")
	if !errors.Is(err, ErrNoDriver) || err.Error() != "no CUDA driver found" {
		t.Errorf("got %v", err)
	}
	t.Setenv("FAKE_CUDA_NO_DEVICE", "1")
	path := build(t)
	// The stand-in reads the environment of the process that loads it: C's own copy, which Go's Setenv does not reach without cgo.
	if os.Getenv("FAKE_CUDA_CHILD") == "" {
		child := exec.Command(os.Args[0], "-test.run", "^TestNoDriver$", "-test.v")
		child.Env = append(os.Environ(), "FAKE_CUDA_CHILD="+path, "FAKE_CUDA_NO_DEVICE=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	_, err = load(path)
	const want = "no CUDA driver found that works: cuInit: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected"
	if !errors.Is(err, ErrNoDriver) || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// A library without the functions is no driver either.
func TestOldDriver(t *testing.T) {
	_, err := load("libc.so.6")
	if !errors.Is(err, ErrNoDriver) || !strings.Contains(err.Error(), "cuInit") {
		t.Errorf("got %v", err)
	}
}

func TestProperties(t *testing.T) {
	f := openFake(t)
	if v, err := f.Version(); v != 12040 || err != nil {
		t.Errorf("version %d, %v", v, err)
	}
	if n, err := f.Count(); n != 2 || err != nil {
		t.Errorf("count %d, %v", n, err)
	}
	p, err := f.Properties(1)
	want := Properties{
		Name: "Fake GPU 41", Major: 7541, Minor: 7641, Memory: 41 << 30, Multiprocessors: 1641, ClockKHz: 1341, L2Bytes: 3841,
		SharedBytes: 8141, SharedBlockBytes: 9741, BusID: "0000:41:00.0",
	}
	if p != want || err != nil {
		t.Errorf("got %+v, %v", p, err)
	}
	var e *Error
	if _, err := f.Properties(2); !errors.As(err, &e) || e.Code != 101 || e.Name != "error 101" {
		t.Errorf("got %v", err)
	}
}

// The calls reach the driver with the arguments in their places.
func TestCalls(t *testing.T) {
	f := openFake(t)
	dev, err := f.Device(0)
	if err != nil {
		t.Fatal(err)
	}
	peer, err := f.Device(1)
	if err != nil {
		t.Fatal(err)
	}
	if log := f.log(t); log != "current 1040\ncurrent 1041" {
		t.Errorf("opening devices: %s", log)
	}
	err = dev.Do(func() error {
		s, err := dev.NewStream(false)
		if err != nil {
			return err
		}
		at, err := dev.Alloc(48)
		if at != 0x7000000030 || err != nil {
			t.Errorf("allocated %x, %v", at, err)
		}
		m, err := dev.Load([]byte("good"))
		if err != nil {
			return err
		}
		fn, err := m.Function("four")
		if err != nil {
			return err
		}
		got := make([]byte, 3)
		event, err := dev.NewEvent(false)
		if err != nil {
			return err
		}
		for _, step := range []func() error{
			func() error { return s.Clear(at, 48) },
			func() error { return s.Write(at, []byte{7, 8}) },
			func() error { return s.Read(got, at) },
			func() error { return s.Copy(at, at+16, 8) },
			func() error { return s.CopyPeer(at, dev, at+16, peer, 9) },
			func() error { return event.Record(s) },
			func() error { return s.WaitFor(event) },
			func() error { return fn.AllowShared(70000) },
			func() error {
				return NewLauncher().Launch(s, fn, 11, 12, 32, 13, []uint64{0x123456789abcdef0, 1<<32 - 1})
			},
			func() error { return dev.EnableAccess(peer) },
			func() error { return dev.Free(at) },
			m.Close,
			s.Close,
		} {
			if err := step(); err != nil {
				return err
			}
		}
		if string(got) != "ZZZ" {
			t.Errorf("read %q", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `set 7000000030 0 48 2001
write 7000000030 byte 7 of 2, stream 2001
read 7000000030 3 2001
copy 7000000030 7000000040 8 2001
peer 7000000030 1040 7000000040 1041 9
peer stream 2001
record 4002 2001
wait 2001 4002 0
attribute 6004 8 70000
attribute 6004 9 100
launch 6004 grid 11 12 1 block 32
  1 1 shared 13 stream 2001 extra 0
  parameters 123456789abcdef0 4294967295
peers 1041 0
free 7000000030
unload 5000
stream gone 2001`
	if log := f.log(t); log != want {
		t.Errorf("got\n%s", log)
	}
	host, err := dev.AllocHost(1 << 20)
	if err != nil || len(host) != 1<<20 {
		t.Fatalf("%d bytes, %v", len(host), err)
	}
	host[0], host[1<<20-1] = 7, 1
	if err := dev.FreeHost(host); err != nil {
		t.Error(err)
	}
	if log := f.log(t); log != "host free 7" {
		t.Errorf("got %s", log)
	}
	if can, err := dev.CanAccess(peer); !can || err != nil {
		t.Errorf("access %v, %v", can, err)
	}
	if can, err := peer.CanAccess(dev); can || err != nil {
		t.Errorf("access the other way %v, %v", can, err)
	}
	if free, total, err := dev.MemoryInfo(); free != 1<<20 || total != 3<<20 || err != nil {
		t.Errorf("memory %d of %d, %v", free, total, err)
	}
	if err := errors.Join(dev.Close(), peer.Close()); err != nil {
		t.Error(err)
	}
	if log := f.log(t); log != "release 40\nrelease 41" {
		t.Errorf("closing devices: %s", log)
	}
}

func TestGraph(t *testing.T) {
	f := openFake(t)
	dev, err := f.Device(0)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	f.log(t)
	err = dev.Do(func() error {
		s, err := dev.NewStream(false)
		if err != nil {
			return err
		}
		g, err := s.Record(func() error { return s.Clear(16, 4) })
		if err != nil {
			return err
		}
		failure := errors.New("cannot")
		if _, err := s.Record(func() error { return failure }); !errors.Is(err, failure) {
			t.Errorf("recording what fails: %v", err)
		}
		return errors.Join(s.Launch(g), g.Close())
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `capture 2001 1
set 10 0 4 2001
captured 2001
instantiate 3000 0
graph gone 3000
capture 2001 1
captured 2001
graph gone 3000
graph 3001 2001`
	if log := f.log(t); log != want {
		t.Errorf("got\n%s", log)
	}
}

func TestFailures(t *testing.T) {
	f := openFake(t)
	dev, err := f.Device(0)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	f.call(t, "fake_fail_alloc")
	if _, err := dev.Alloc(1); !IsOutOfMemory(err) || err.Error() != "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory" {
		t.Errorf("got %v", err)
	}
	const why = ": CUDA_ERROR_INVALID_PTX (218): ptxas application ptx input, line 7; error: nonsense"
	if _, err = dev.Load([]byte("bad")); err == nil || err.Error() != "cuModuleLoadDataEx"+why {
		t.Errorf("got %v", err)
	}
	if _, err = dev.Compile("bad"); err == nil || err.Error() != "cuLinkAddData_v2"+why {
		t.Errorf("got %v", err)
	}
}

func TestCompile(t *testing.T) {
	f := openFake(t)
	dev, err := f.Device(0)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	f.log(t)
	if code, err := dev.Compile("good"); string(code) != "\x7fELFcode" || err != nil {
		t.Errorf("got %q, %v", code, err)
	}
	if log := f.log(t); log != "add 1 of 5 options 0\nlinked" {
		t.Errorf("got\n%s", log)
	}
}

func TestOccupancyAndTimes(t *testing.T) {
	f := openFake(t)
	dev, err := f.Device(0)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	m, err := dev.Load([]byte("good"))
	if err != nil {
		t.Fatal(err)
	}
	fn, err := m.Function("x")
	if err != nil {
		t.Fatal(err)
	}
	regs, err1 := fn.Registers()
	local, err2 := fn.LocalBytes()
	blocks, err3 := fn.Resident(32, 100)
	if err := errors.Join(err1, err2, err3); regs != 40 || local != 30 || blocks != 132 || err != nil {
		t.Errorf("registers %d, local %d, blocks %d, %v", regs, local, blocks, err)
	}
	if s, err := dev.NewStream(true); s.handle != 2101 || err != nil {
		t.Errorf("urgent stream %d, %v", s.handle, err)
	}
	from, _ := dev.NewEvent(true)
	to, _ := dev.NewEvent(false)
	if ms, err := from.Milliseconds(to); ms != 1.25 || err != nil {
		t.Errorf("%v ms, %v", ms, err)
	}
}

// A launch must not allocate: there are hundreds of thousands a second.
func TestLaunchDoesNotAllocate(t *testing.T) {
	f := openFake(t)
	dev, err := f.Device(0)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	s, _ := dev.NewStream(false)
	fn := &Function{dev, 1}
	l := NewLauncher()
	params := []uint64{1, 2}
	if n := testing.AllocsPerRun(20, func() {
		if err := l.Launch(s, fn, 1, 1, 32, 0, params); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations a launch", n)
	}
}
