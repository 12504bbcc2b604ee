package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestProfiles: what the environment asks for is there after the run.
func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	cpu, memory := filepath.Join(dir, "cpu"), filepath.Join(dir, "memory")
	t.Setenv(profileCPU, cpu)
	t.Setenv(profileMemory, memory)
	stop, err := startProfile()
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{cpu, memory} {
		head, err := os.ReadFile(path)
		if err != nil || len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b { // gzip, as pprof wants it
			t.Errorf("%s: %d bytes, %v", path, len(head), err)
		}
	}
}

// TestNowhere: a file that cannot be made is one clear error, and nothing is asked for where nothing is set.
func TestNowhere(t *testing.T) {
	for _, variable := range []string{profileCPU, profileMemory, perfMap} {
		t.Setenv(variable, "")
	}
	stop, err := startProfile()
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	t.Setenv(profileCPU, filepath.Join(t.TempDir(), "missing", "cpu"))
	if _, err := startProfile(); err == nil {
		t.Error("a profile goes into a folder that is not there")
	}
}
