package gpu

import (
	"os"
	"strings"
	"testing"
)

// NVIDIA's own library has every function under the name it is asked for. It loads without a GPU (Debian:
// libcuda1): then cuInit, the first call, answers 100, CUDA_ERROR_NO_DEVICE. GOSPER_LIBCUDA says where it is if
// the system does not know.
func TestNamesOfTheDriver(t *testing.T) {
	d, err := load(libraries()...)
	switch {
	case err == nil:
		if n, err := d.Count(); n < 1 || err != nil {
			t.Errorf("a driver that works has %d GPUs, %v", n, err)
		}
	case strings.Contains(err.Error(), "has no function"):
		t.Error(err)
	case strings.Contains(err.Error(), "cuInit"):
		if !strings.Contains(err.Error(), "(100)") {
			t.Error(err)
		}
	case os.Getenv(libraryVariable) != "":
		t.Errorf("%s: %v", libraryVariable, err)
	default:
		t.Skip("no libcuda.so.1: GOSPER_LIBCUDA may name one")
	}
}
