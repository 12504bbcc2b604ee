package lua

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLanguage runs programs whose output the reference implementation has written: lua5.4 NAME.lua > NAME.txt.
func TestLanguage(t *testing.T) {
	names, err := filepath.Glob("testdata/*.lua")
	if err != nil || len(names) < 2 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(name, ".lua") + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := New(Options{Out: &out}).Run(t.Context(), filepath.Base(name), string(source)); err != nil {
				t.Error(err)
			}
			got, lines := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
			for i, line := range lines {
				if i >= len(got) || got[i] != line {
					t.Errorf("line %d:\n got %q\nwant %q", i+1, append(got, "")[min(i, len(got))], line)
				}
			}
			if len(got) != len(lines) {
				t.Errorf("%d lines, want %d", len(got), len(lines))
			}
		})
	}
}
