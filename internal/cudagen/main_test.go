package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/gpu"
)

// files are the files of a name's form in all packages that have kernels.
func files(t *testing.T, form string) []string {
	var all []string
	for _, packages := range []string{"../../papers/internal/*", "../../sim/cuda/internal/*"} {
		some, err := filepath.Glob(filepath.Join(packages, form))
		if err != nil {
			t.Fatal(err)
		}
		if len(some) == 0 {
			t.Fatalf("%s has none", packages)
		}
		all = append(all, some...)
	}
	return all
}

// text is the PTX of a file.
func text(t *testing.T, file string) string {
	t.Helper()
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := gpu.Text(string(packed))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The committed PTX of every package is what its source compiles to.
func TestCommittedPTX(t *testing.T) {
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skip("no " + compiler)
	}
	for _, source := range files(t, "*.cu") {
		t.Run(filepath.Base(source), func(t *testing.T) {
			t.Parallel()
			want, err := compile(source)
			if err != nil {
				t.Fatal(err)
			}
			if text(t, output(source)) != string(want) {
				t.Errorf("%s is not what %s compiles to: go generate in its folder", output(source), source)
			}
		})
	}
}

// Kernels are text that old drivers take.
func TestCommittedPTXIsForOldDrivers(t *testing.T) {
	for _, file := range files(t, "z*.ptx.gz") {
		for _, line := range []string{"\n.version 7.8\n", "\n.target sm_80\n"} {
			if !strings.Contains(text(t, file), line) {
				t.Errorf("%s has no line %q", file, strings.TrimSpace(line))
			}
		}
	}
}
