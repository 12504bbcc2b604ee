package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
)

// TestResumeRefusals damages a checkpoint in every way that a user may meet.
func TestResumeRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clitest.RunJSON(t, dir, "--size", "64", "--seed", "1", "-g", "10", "--checkpoint", "whole.ckpt")
	whole, err := os.ReadFile(filepath.Join(dir, "whole.ckpt"))
	if err != nil {
		t.Fatal(err)
	}
	damage := map[string]func(b []byte) []byte{
		"version 9 is not supported": func(b []byte) []byte { b[8] = 9; return b },
		"damaged":                    func(b []byte) []byte { b[len(b)/2] ^= 0x10; return b },
		"checksum":                   func(b []byte) []byte { return b[:len(b)-100] },
		"not a gosper checkpoint":    func(b []byte) []byte { return b[:5] },
	}
	for want, change := range damage {
		path := filepath.Join(dir, "damaged.ckpt")
		if err := os.WriteFile(path, change(append([]byte{}, whole...)), 0o666); err != nil {
			t.Fatal(err)
		}
		o := clitest.Gosper(t, dir, "run", "--resume", "damaged.ckpt", "--to", "20", "--out", "x.rle")
		if o.Code != console.InputError || !strings.Contains(o.Stderr, want) || strings.Count(o.Stderr, "\n") != 1 ||
			output.Exists(filepath.Join(dir, "x.rle")) {
			t.Errorf("want %q, got exit code %d: %s", want, o.Code, o.Stderr)
		}
	}
	if o := clitest.Gosper(t, dir, "run", "--resume", "whole.ckpt", "--to", "9"); o.Code != console.InputError ||
		!strings.Contains(o.Stderr, "already passed") {
		t.Errorf("a target already passed: exit code %d: %s", o.Code, o.Stderr)
	}
	if o := clitest.Gosper(t, dir, "run", "--size", "8", "--checkpoint", "whole.ckpt"); o.Code != console.InputError ||
		!strings.Contains(o.Stderr, "already exists") {
		t.Errorf("another run's checkpoint: exit code %d: %s", o.Code, o.Stderr)
	}
	// The run that a checkpoint came from may replace it.
	if o := clitest.Gosper(t, dir, "run", "--resume", "whole.ckpt", "--to", "20", "--checkpoint",
		"whole.ckpt"); o.Code != 0 {
		t.Errorf("exit code %d: %s", o.Code, o.Stderr)
	}
	if r := clitest.RunJSON(t, dir, "--resume", "whole.ckpt"); r.Generation != 20 {
		t.Errorf("went on to generation %d, want the target of the run before, 20", r.Generation)
	}
	o := clitest.Gosper(t, dir, "info", "whole.ckpt")
	if o.Code != 0 || !strings.Contains(o.Stdout, "generation  20 of 20") {
		t.Errorf("info: exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
	}
}

// TestResumeKeepsWhatThePatternSays compares the files of a run that was cut with those of one that was not:
// names, authors and comments are in both.
func TestResumeKeepsWhatThePatternSays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "#N A glider\n#O Somebody\n#C It moves.\n#C See #N above.\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n"
	if err := os.WriteFile(filepath.Join(dir, "glider.rle"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string][]string{"pattern": {"glider.rle"}, "soup": {"--size", "20", "--seed", "1"}} {
		saved, cut, uncut := name+".ckpt", name+"-cut.rle", name+"-uncut.rle"
		clitest.RunJSON(t, dir, append([]string{"--to", "20", "--out", uncut}, from...)...)
		clitest.RunJSON(t, dir, append([]string{"--to", "10", "--checkpoint", saved}, from...)...)
		clitest.RunJSON(t, dir, "--resume", saved, "--to", "15", "--checkpoint", saved)
		clitest.RunJSON(t, dir, "--resume", saved, "--to", "20", "--out", cut)
		want, err := os.ReadFile(filepath.Join(dir, uncut))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, cut))
		if err != nil || string(got) != string(want) || !strings.Contains(string(want), "#C ") {
			t.Errorf("%s: resumed\n%s\nuncut\n%s%v", name, got, want, err)
		}
	}
}
