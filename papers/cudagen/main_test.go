package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The committed PTX of every room is what its source compiles to.
func TestCommittedPTX(t *testing.T) {
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skip("no " + compiler)
	}
	sources, err := filepath.Glob("../*/*.cu")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, source := range sources {
		t.Run(filepath.Base(source), func(t *testing.T) {
			t.Parallel()
			want, err := compile(source)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(output(source))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s is not what %s compiles to: go generate ./papers/...", output(source), source)
			}
		})
	}
}

// Kernels are text that old drivers take.
func TestCommittedPTXIsForOldDrivers(t *testing.T) {
	files, err := filepath.Glob("../*/z*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatalf("no PTX: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"\n.version 7.8\n", "\n.target sm_80\n"} {
			if !strings.Contains(string(text), line) {
				t.Errorf("%s has no line %q", file, strings.TrimSpace(line))
			}
		}
	}
}
