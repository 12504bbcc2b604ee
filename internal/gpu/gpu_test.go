//go:build linux

package gpu

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/diskcache"
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

// log returns the calls of the driver since the last call of log.
func (f fake) log(t *testing.T) string {
	t.Helper()
	text := dynlib.String(f.call(t, "fake_log"))
	f.call(t, "fake_reset")
	return strings.TrimSpace(text)
}

// unavailable reports whether an error says for that reason that nothing can run on a GPU here.
func unavailable(err error, why string) bool {
	var u *Unavailable
	return errors.As(err, &u) && u.Why == why && err.Error() == "no GPU to run on: "+why
}

func TestNoDriver(t *testing.T) {
	_, err := load("libthere-is-no-such-library.so")
	if !unavailable(err, "no CUDA driver found") {
		t.Errorf("got %v", err)
	}
	t.Setenv("FAKE_CUDA_NO_DEVICE", "1")
	path := build(t)
	// The stand-in reads the environment of the process that loads it: C's own copy, which Go's Setenv does not
	// reach without cgo.
	if os.Getenv("FAKE_CUDA_CHILD") == "" {
		child := exec.Command(os.Args[0], "-test.run", "^TestNoDriver$", "-test.v")
		child.Env = append(os.Environ(), "FAKE_CUDA_CHILD="+path, "FAKE_CUDA_NO_DEVICE=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	_, err = load(path)
	if !unavailable(
		err, "no CUDA driver found that works: cuInit: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected") {
		t.Errorf("got %v", err)
	}
}

// A library without the functions is no driver either.
func TestOldDriver(t *testing.T) {
	_, err := load("libc.so.6")
	if !errors.As(err, new(*Unavailable)) || !strings.Contains(err.Error(), "cuInit") {
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
		SharedBytes: 8141, SharedBlockBytes: 9741, Together: true, BusID: "0000:41:00.0",
	}
	if p != want || err != nil {
		t.Errorf("got %+v, %v", p, err)
	}
	var e *Error
	if _, err := f.Properties(2); !errors.As(err, &e) || e.Code != 101 || e.Name != "error 101" {
		t.Errorf("got %v", err)
	}
}

// opened opens a device, which is closed at the end of the test, and forgets what was logged for that.
func (f fake) opened(t *testing.T, ordinal int) *Device {
	t.Helper()
	d, err := f.Open(ordinal)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	f.log(t)
	return d
}

// kernel asks for a kernel as it must be asked for, inside Do.
func (d *Device) kernel(text, name string, threads, shared int) (k *Kernel, err error) {
	err = d.Do(func() (err error) {
		k, err = d.Kernel(text, name, threads, shared)
		return err
	})
	return k, err
}

// The calls reach the driver with the arguments in their places.
func TestCalls(t *testing.T) {
	f := openFake(t)
	if _, err := f.Open(2); err == nil || err.Error() != "there is no GPU 2: this machine has 2, numbered from 0" {
		t.Errorf("GPU 2 of 2: %v", err)
	}
	dev, err := f.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	peer, err := f.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	if log := f.log(t); log != "current 1040\ncurrent 1041" {
		t.Errorf("opening devices: %s", log)
	}
	if err := connect([]*Device{dev, peer}); err != nil {
		t.Error(err)
	}
	err = dev.Do(func() error {
		at, err := dev.Alloc(48)
		if at != 0x7000000030 || err != nil {
			t.Errorf("allocated %x, %v", at, err)
		}
		k, err := dev.Kernel("good", "four", 32, 70000)
		if err != nil {
			return err
		}
		got := make([]byte, 3)
		event, err := dev.NewEvent()
		if err != nil {
			return err
		}
		for _, step := range []func() error{
			func() error { return dev.Clear(at, 48) },
			func() error { return dev.Write(at, []byte{7, 8}) },
			func() error { return dev.Read(got, at) },
			func() error { return dev.CopyFrom(at, peer, at+16, 9) },
			event.Record,
			func() error { return peer.WaitFor(event) },
			func() error { return k.Launch(11, 12, 0x123456789abcdef0, 1<<32-1) },
			func() error { return k.LaunchTogether(13, 0x123456789abcdef0, 1<<32-1) },
			peer.Enter,
			dev.Enter,
		} {
			if err := step(); err != nil {
				return err
			}
		}
		dev.Free(at, 0, at+1)
		if string(got) != "ZZZ" {
			t.Errorf("read %q", got)
		}
		seconds, err := dev.Seconds(func() error { return nil })
		if err != nil || seconds != -1e-3 { // the stand-in's answer for events in this order
			t.Errorf("%v s, %v", seconds, err)
		}
		failure := errors.New("no work")
		if _, err := dev.Seconds(func() error { return failure }); !errors.Is(err, failure) {
			t.Errorf("timing what fails: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `peers 1041 0
add 1 of 5 options 0
linked
attribute 6004 8 70000
attribute 6004 9 100
set 7000000030 0 48 2001
write 7000000030 byte 7 of 2, stream 2001
read 7000000030 3 2001
peer 7000000030 1040 7000000040 1041 9
peer stream 2001
record 4002 2001
wait 2001 4002 0
launch 6004 grid 11 12 1 block 32
  1 1 shared 70000 stream 2001 extra 0
  parameters 123456789abcdef0 4294967295
together 6004 grid 13 1 1 block 32
  1 1 shared 70000 stream 2001
  parameters 123456789abcdef0 4294967295
current 1041
current 1040
free 7000000030
free 7000000031
record 4000 2001
record 4000 2001
record 4000 2001`
	if log := f.log(t); log != want {
		t.Errorf("got\n%s", log)
	}
	host, release := dev.HostBuffer(1 << 20)
	if len(host) != 1<<20 {
		t.Fatalf("%d bytes", len(host))
	}
	host[0], host[1<<20-1] = 7, 1
	release()
	if log := f.log(t); log != "host free 7" {
		t.Errorf("got %s", log)
	}
	if free, total, err := dev.FreeMemory(); free != 1<<20 || total != 3<<20 || err != nil {
		t.Errorf("memory %d of %d, %v", free, total, err)
	}
	if err := errors.Join(dev.Close(), peer.Close()); err != nil {
		t.Error(err)
	}
	if log := f.log(t); log != "unload 5000\nstream gone 2001\nrelease 40\nstream gone 2001\nrelease 41" {
		t.Errorf("closing devices: %s", log)
	}
}

func TestGraph(t *testing.T) {
	f := openFake(t)
	dev := f.opened(t, 0)
	err := dev.Do(func() error {
		replay, err := dev.Record(func() error { return dev.Clear(16, 4) })
		if err != nil {
			return err
		}
		failure := errors.New("cannot")
		if _, err := dev.Record(func() error { return failure }); !errors.Is(err, failure) {
			t.Errorf("recording what fails: %v", err)
		}
		return replay()
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
	dev := f.opened(t, 0)
	f.call(t, "fake_fail_alloc")
	if _, err := dev.Alloc(5 << 20); err == nil ||
		err.Error() != "Fake GPU 40 has 1 MiB of 3 MiB free, but 5 MiB more are needed" {
		t.Errorf("got %v", err)
	}
	const why = "CUDA_ERROR_INVALID_PTX (218): ptxas application ptx input, line 7; error: nonsense"
	if _, err := dev.kernel("bad", "x", 32, 0); err == nil || err.Error() != "kernel x: cuLinkAddData_v2: "+why {
		t.Errorf("got %v", err)
	}
	if _, err := dev.load([]byte("bad")); err == nil || err.Error() != "cuModuleLoadDataEx: "+why {
		t.Errorf("got %v", err)
	}
	k, err := dev.kernel("good", "x", 32, 0)
	if err != nil {
		t.Fatal(err)
	}
	if k.Launch(1, 1, make([]uint64, 257)...) == nil {
		t.Error("257 arguments are let through")
	}
}

// A text is compiled once, and by a later process not at all: its code is on disk. Code that does not load is
// made again.
func TestCompiledOnce(t *testing.T) {
	dir := t.TempDir()
	f := openFake(t)
	for i, want := range []string{"add 1 of 5 options 0\nlinked", "", "add 1 of 5 options 0\nlinked"} {
		f.code = diskcache.New(dir, ".cubin", 1000)
		dev := f.opened(t, 0)
		key := diskcache.KeyOf("Fake GPU 40", "7540.7640, CUDA 12040", "good")
		if i == 2 {
			f.code.Put(key, []byte("bad"))
		}
		for _, name := range []string{"x", "y"} {
			k, err := dev.kernel("good", name, 32, 100)
			if err != nil {
				t.Fatal(err)
			}
			if k.Registers != 40 || k.Spilled != 30 || k.Resident != 132 {
				t.Errorf("got %+v", k)
			}
		}
		log := f.log(t)
		for _, set := range []string{"attribute 6001 8 100\n", "attribute 6001 9 100\n", "attribute 6001 9 100"} {
			log = strings.ReplaceAll(log, set, "")
		}
		if strings.TrimSpace(log) != want {
			t.Errorf("start %d: %s", i, log)
		}
		if code, ok := f.code.Get(key); string(code) != "\x7fELFcode" || !ok {
			t.Errorf("start %d: %q is kept", i, code)
		}
	}
}

// Texts may be compressed.
func TestText(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte("good")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"good": "good", b.String(): "good", b.String()[:20]: "", "\x1f\x8b": "",
		"": "",
	} {
		if got, err := Text(source); err == nil && got != want || err != nil && want != "" {
			t.Errorf("%q: %q, %v", source, got, err)
		}
	}
	if _, err := openFake(t).opened(t, 0).kernel(b.String(), "x", 32, 0); err != nil {
		t.Error(err)
	}
}

// A launch must not take memory: there are hundreds of thousands a second.
func TestLaunchDoesNotAllocate(t *testing.T) {
	dev := openFake(t).opened(t, 0)
	k := &Kernel{d: dev, function: 1, threads: 32}
	params := []uint64{1, 2}
	if n := testing.AllocsPerRun(20, func() {
		if err := errors.Join(k.Launch(1, 1, params...), k.Launch(1, 1, params[0], Int(-1))); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations a launch", n)
	}
}

// A text that is compiled ahead is compiled once, with the device current: the driver refuses it otherwise. An error
// is reported to the kernel that needs the text. An error in a text that no kernel needs is not reported.
func TestAhead(t *testing.T) {
	f := openFake(t)
	dev := f.opened(t, 0)
	err := dev.Do(func() error {
		for _, text := range []string{"good", "bad", "good", "worse"} {
			dev.Ahead(text)
		}
		for range 2 {
			_, err := dev.Kernel("bad", "x", 32, 0)
			if want := "kernel x: cuLinkAddData_v2: CUDA_ERROR_INVALID_PTX (218): ptxas application ptx input, line 7; error: nonsense"; err == nil || err.Error() != want {
				t.Errorf("got %v", err)
			}
		}
		for range 2 {
			if _, err := dev.Kernel("good", "x", 32, 0); err != nil {
				return err
			}
		}
		dev.Ahead("good") // is loaded
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	dev.ahead.stop()
	log := f.log(t)
	if made := strings.Count(log, "add 1 of 5 "); made != 1 {
		t.Errorf("the good text is compiled %d times:\n%s", made, log)
	}
	if added, gone := strings.Count(log, "add "), strings.Count(log, "linked"); added != gone || added < 3 {
		t.Errorf("%d linkers, %d are gone:\n%s", added, gone, log)
	}
}

// TestForeign: the bytes of a handle reach the driver in order, as a structure that C passes by value.
func TestForeign(t *testing.T) {
	f := openFake(t)
	dev := f.opened(t, 0)
	var h Handle
	want := uint64(0x7100000000)
	for i := range h {
		h[i] = byte(200 + 7*i)
		want += uint64(i+1) * uint64(h[i])
	}
	wrong := errors.New("wrong")
	err := dev.Do(func() error {
		return dev.Foreign(h, func(at uint64) error {
			if at != want {
				t.Errorf("address %x, want %x", at, want)
			}
			return wrong
		})
	})
	if !errors.Is(err, wrong) {
		t.Errorf("got %v", err)
	}
	if log := f.log(t); log != fmt.Sprintf("close %x", want) {
		t.Errorf("log %s", log)
	}
}
