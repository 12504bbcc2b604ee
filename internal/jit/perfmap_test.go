//go:build (amd64 && (unix || windows)) || (arm64 && linux)

package jit

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestPerfMap: what is mapped is in the file, with its address and size.
func TestPerfMap(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR")) // where Windows looks
	if err := WritePerfMap(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		perfMap.file.Close()
		perfMap.file, perfMap.n = nil, 0
	}()
	c, err := Map(ret)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	got, err := os.ReadFile(filepath.Join(os.TempDir(), fmt.Sprintf("perf-%d.map", os.Getpid())))
	if want := fmt.Sprintf("%x %x gosper_jit_1\n", &c.text[0], len(c.text)); err != nil || string(got) != want {
		t.Errorf("%q, want %q (%v)", got, want, err)
	}
}
