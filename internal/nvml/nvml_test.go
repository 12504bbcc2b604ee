//go:build linux

package nvml

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestNotThere(t *testing.T) {
	_, err := load("libthere-is-no-such-library.so")
	if !errors.Is(err, ErrNotAvailable) || err.Error() != "not available: no NVIDIA management library" {
		t.Errorf("got %v", err)
	}
	if _, err := load("libc.so.6"); !errors.Is(err, ErrNotAvailable) {
		t.Errorf("got %v", err)
	}
}

func TestReadings(t *testing.T) {
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to build the stand-in library with")
	}
	path := filepath.Join(t.TempDir(), "libfake.so")
	if out, err := exec.Command(compiler, "-shared", "-fPIC", "-o", path, "testdata/fake.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lib, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := lib.DriverVersion(); v != "580.1" || err != nil {
		t.Errorf("driver %q, %v", v, err)
	}
	d, err := lib.Device("0000:01:00.0")
	if err != nil {
		t.Fatal(err)
	}
	if j, err := d.Energy(); j != 1234567890.123 || err != nil {
		t.Errorf("%v J, %v", j, err)
	}
	if w, err := d.Power(); w != 690.5 || err != nil {
		t.Errorf("%v W, %v", w, err)
	}
	if c, err := d.clock(); c != 1981 || err != nil {
		t.Errorf("%v MHz, %v", c, err)
	}
	if w, err := d.powerLimit(); w != 700 || err != nil {
		t.Errorf("limit of %v W, %v", w, err)
	}
	silent, err := lib.Device("0000:02:00.0")
	if err != nil {
		t.Fatal(err)
	}
	const want = "not available: nvmlDeviceGetTotalEnergyConsumption: Not Supported"
	if j, err := silent.Energy(); j != 0 || !errors.Is(err, ErrNotAvailable) || err.Error() != want {
		t.Errorf("%v J, %v", j, err)
	}
	if _, err := lib.Device("nowhere"); !errors.Is(err, ErrNotAvailable) {
		t.Errorf("got %v", err)
	}
}
