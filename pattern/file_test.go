package pattern_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
)

func TestWriteFile(t *testing.T) {
	g := soup(t, 100, 50, 1)
	for _, suffix := range []string{".rle", ".mc", ".cells", ".lif", ".life", ".png", ".npy"} {
		for _, z := range []string{"", ".gz"} {
			dir := t.TempDir()
			path := filepath.Join(dir, "soup"+suffix+z)
			if err := pattern.WriteFile(t.Context(), path, g, pattern.Meta{}, false); err != nil {
				t.Fatal(err)
			}
			p, err := pattern.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			mustEqualCells(t, p.Cells, g)
			if format, gzipped, err := pattern.FormatOf(path); err != nil || format != p.Format || gzipped != (z != "") {
				t.Errorf("%s is %s, %v, %v; read as %s", path, format, gzipped, err, p.Format)
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if isZ := strings.HasPrefix(string(content), "\x1f\x8b"); isZ != (z != "") {
				t.Errorf("%s is gzip: %v", path, isZ)
			}
			if err := pattern.WriteFile(t.Context(), path, g, pattern.Meta{}, false); !errors.Is(err, fs.ErrExist) {
				t.Errorf("replaced without force: %v", err)
			}
			if err := pattern.WriteFile(t.Context(), path, g, pattern.Meta{}, true); err != nil {
				t.Error(err)
			}
			if entries, _ := os.ReadDir(dir); len(entries) != 1 {
				t.Errorf("folder holds %v", entries)
			}
		}
	}
}

func TestWriteFileRefusals(t *testing.T) {
	dir := t.TempDir()
	for name, says := range map[string]string{
		"a.txt": ".rle .mc .cells .lif .life .png .npy", "a": "unknown suffix", "a.gz": "unknown suffix",
		"a.mcl":   "cannot write",
		"a.cells": "2 states", "none/a.rle": "no such file",
	} {
		err := pattern.WriteFile(t.Context(), filepath.Join(dir, name), soup(t, 10, 10, 2), pattern.Meta{}, true)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error is %v, want %q", name, err, says)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("folder holds %v", entries)
	}
}

func TestReadFileNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rle")
	if err := os.WriteFile(path, []byte("x = 1, y = 1\n3o5"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := pattern.ReadFile(path); err == nil ||
		err.Error() != path+": rle: line 2, column 4: count 5 has no symbol at the end of the file" {
		t.Errorf("error is %v", err)
	}
}

// broken is a device that is full after some bytes.
type broken struct{ room int }

func (b *broken) Write(p []byte) (int, error) {
	if b.room -= len(p); b.room < 0 {
		return 0, fs.ErrInvalid
	}
	return len(p), nil
}

func TestWriteErrorsAreReported(t *testing.T) {
	small, large := soup(t, 20, 20, 1), soup(t, 2000, 700, 1)
	for _, format := range twoState {
		for _, g := range []*grid.Grid{small, large} {
			for _, room := range []int{0, 70000} {
				err := pattern.Write(&broken{room}, format, g, pattern.Meta{})
				if g == small && room > 0 {
					if err != nil {
						t.Errorf("%s: %v", format, err)
					}
				} else if !errors.Is(err, fs.ErrInvalid) {
					t.Errorf("%s: error is %v", format, err)
				}
			}
		}
	}
}

// Rows without a cell are written as next to nothing, so that a writer alone would never hear that it is to end.
func TestWritingATallPictureHeedsItsContext(t *testing.T) {
	tall, err := grid.NewTiles(1)
	if err != nil {
		t.Fatal(err)
	}
	tall.Set(0, 0, 1)
	tall.Set(0, 1<<30, 1)
	ctx, cancel := context.WithCancel(t.Context())
	path := filepath.Join(t.TempDir(), "tall.png")
	read := 0
	counted := reads{tall, func() {
		if read++; read == 1000 {
			cancel()
		}
	}}
	if err := pattern.WriteFile(ctx, path, counted, pattern.Meta{States: 2}, false); !errors.Is(err, context.Canceled) ||
		read != 1000 {
		t.Errorf("%d rows were read: %v", read, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file is left: %v", err)
	}
}

// reads is a source that tells of each row that is read.
type reads struct {
	grid.Source
	told func()
}

func (r reads) ReadRow(dst []uint64, plane, x, y, n int) error {
	r.told()
	return r.Source.ReadRow(dst, plane, x, y, n)
}

func TestLosesRule(t *testing.T) {
	for _, c := range []struct {
		format pattern.Format
		rule   string
		want   bool
	}{
		{pattern.Plaintext, "B36/S23", true},
		{pattern.Plaintext, "B36/S23:T64,64", true},
		{pattern.Plaintext, "B3/S23:T64,64", false},
		{pattern.Plaintext, "b3/s23", false},
		{pattern.Plaintext, "", false},
		{pattern.Life106, "B36/S23", true},
		{pattern.NPY, "B36/S23", true},
		{pattern.PGM, "B36/S23", true},
		{pattern.RLE, "B36/S23", false},
		{pattern.Macrocell, "B36/S23", false},
		{pattern.Life105, "B36/S23", false},
		{pattern.PNG, "B36/S23", false},
		{0, "B36/S23", false},
	} {
		if got := c.format.LosesRule(c.rule); got != c.want {
			t.Errorf("%v loses %q: %v", c.format, c.rule, got)
		}
	}
}
