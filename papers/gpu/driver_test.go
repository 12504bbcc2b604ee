//go:build linux

package gpu_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/dynlib"
	"github.com/gosper-life/gosper/papers/gpu"
)

// driverVariable names the driver's library to package cu, which loads it once a process.
const driverVariable = "GOSPER_LIBCUDA"

// TestStandInDriver runs inStandIn in a process of its own, on the stand-in driver that package cu is tested with.
func TestStandInDriver(t *testing.T) {
	if path := os.Getenv(driverVariable); strings.HasSuffix(path, "libfake.so") {
		inStandIn(t, path)
		return
	}
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to build the stand-in driver with")
	}
	path := filepath.Join(t.TempDir(), "libfake.so")
	if out, err := exec.Command(compiler, "-shared", "-fPIC", "-o", path, "../../internal/cu/testdata/fake.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	child := exec.Command(os.Args[0], "-test.run", "^TestStandInDriver$")
	child.Env = append(os.Environ(), driverVariable+"="+path)
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func inStandIn(t *testing.T, path string) {
	lib, err := dynlib.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	call := func(name string) uintptr {
		fn, err := lib.Symbol(name)
		if err != nil {
			t.Fatal(err)
		}
		return dynlib.Call(fn)
	}
	if _, err := gpu.Open(2); !errors.As(err, new(*gpu.Unavailable)) {
		t.Errorf("GPU 2 of 2: %v", err)
	}
	d, err := gpu.Open(1)
	if err != nil || d.Name != "Fake GPU 41" {
		t.Fatalf("%v, %v", d, err)
	}
	call("fake_reset")
	err = d.Do(func() error {
		if _, err := d.Kernel([]byte("bad"), "life", 64, 0); err == nil || !strings.Contains(err.Error(), "line 7") {
			t.Errorf("bad text: %v", err)
		}
		k, err := d.Kernel([]byte("good"), "life", 64, 1000)
		if err != nil {
			return err
		}
		b, err := d.Alloc(16)
		if err != nil {
			return err
		}
		if err := gpu.Upload(b, 8, []uint32{7, 8}); err != nil {
			return err
		}
		for _, offset := range []int{-1, 9} {
			if gpu.Upload(b, offset, []uint32{7, 8}) == nil || gpu.Download([]uint32{7, 8}, b, offset) == nil {
				t.Errorf("a copy at %d of 16 is let through", offset)
			}
		}
		seconds, err := d.Seconds(func() error { return k.Launch(3, 2, b.Address, gpu.Int(-1)) })
		if err != nil || seconds != -1e-3 { // the stand-in's answer for events in this order
			t.Errorf("%v s, %v", seconds, err)
		}
		failure := errors.New("no work")
		if _, err := d.Seconds(func() error { return failure }); !errors.Is(err, failure) {
			t.Errorf("timing what fails: %v", err)
		}
		call("fake_fail_alloc")
		if _, err := d.Alloc(5 << 20); err == nil || err.Error() != "Fake GPU 41 has 1 MiB of 3 MiB free, 5 MiB more are needed" {
			t.Errorf("no memory: %v", err)
		}
		return errors.Join(b.Free(), (*gpu.Buffer)(nil).Free())
	})
	if err := errors.Join(err, d.Close()); err != nil {
		t.Error(err)
	}
	const want = `attribute 6004 8 1000
attribute 6004 9 100
write 7000000018 byte 7 of 8, stream 2001
record 4000 2001
launch 6004 grid 3 2 1 block 64
  1 1 shared 1000 stream 2001 extra 0
  parameters 7000000010 4294967295
record 4000 2001
record 4000 2001
free 7000000010
unload 5000
stream gone 2001
release 41`
	// The log starts anew where memory was made to fail.
	if log := strings.TrimSpace(dynlib.String(call("fake_log"))); log != want {
		t.Errorf("got\n%s", log)
	}
}
