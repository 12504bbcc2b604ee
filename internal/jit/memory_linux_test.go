//go:build amd64 || arm64

package jit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestPermissions reads the kernel's own table of mappings.
func TestPermissions(t *testing.T) {
	c, err := Map(ret)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	address := uint64(uintptr(unsafe.Pointer(&c.memory[0])))
	for line := range strings.Lines(string(maps)) {
		var low, high uint64
		var permissions string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &low, &high, &permissions); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if strings.Contains(permissions, "w") && strings.Contains(permissions, "x") {
			t.Errorf("writable and executable: %s", line)
		}
		if low <= address && address < high && permissions != "r-xp" {
			t.Errorf("code has permissions %s", permissions)
		}
	}
}

// TestForbidden asks the kernel, in a process of its own, to refuse executable memory, as hardened systems do.
func TestForbidden(t *testing.T) {
	const child, unsupported = "JIT_TEST_FORBIDDEN", "no memory-deny-write-execute"
	if os.Getenv(child) != "" {
		if err := unix.Prctl(unix.PR_SET_MDWE, unix.PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0); err != nil {
			fmt.Println(unsupported, err)
			return
		}
		fmt.Println(Available())
		return
	}
	again := exec.Command(os.Args[0], "-test.run=^TestForbidden$")
	again.Env = append(os.Environ(), child+"=1")
	out, err := again.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator runs this test and can start no other process of its kind")
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if strings.Contains(string(out), unsupported) {
		t.Skipf("this kernel cannot forbid executable memory (Linux 6.3 can): %s", out)
	}
	if want := "jit: this system forbids executable memory: permission denied"; !strings.Contains(string(out), want) {
		t.Errorf("%s, want %q", out, want)
	}
}
