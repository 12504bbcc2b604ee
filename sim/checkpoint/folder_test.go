package checkpoint_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/bandfiles"
	"github.com/gosper-life/gosper/sim/checkpoint"
)

// TestFolder: the bands of a folder are one universe. Folders that lack rows, or have others, are refused.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	cells := make([]byte, 3*2*16) // 3 rows of 2 planes of 70 cells
	cells[0], cells[16+8], cells[5*16] = 1, 0b100000, 0b10
	var m bandfiles.Manifest
	band := func(name string, first, lines int) bandfiles.Band {
		t.Helper()
		data := cells[32*first : 32*(first+lines)]
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		return bandfiles.Band{Name: name, First: first, Lines: lines, Sum: hex.EncodeToString(sum[:])}
	}
	a, b := band("a.cells", 0, 1), band("b.cells", 1, 2)
	write := func(bands ...bandfiles.Band) {
		t.Helper()
		m = bandfiles.Manifest{
			Run: "r", Universe: bandfiles.Universe{Rule: "345/2/4", Topology: "T70,3"}, Generation: 7, Target: 9,
			Bands: bands, Facts: map[string]string{"seed": "3"},
		}
		if err := m.Write(dir, false); err != nil {
			t.Fatal(err)
		}
	}
	write(a, b)
	f, err := checkpoint.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	h := f.Header
	if h.Generation != 7 || h.Target != 9 || h.Population != 3 || h.States != 4 || h.Bounds != (grid.Rect{W: 70, H: 3}) ||
		h.Facts["seed"] != "3" {
		t.Errorf("%+v", h)
	}
	e := mustOpen(t, "345/2/4", "T70,3")
	defer e.Close()
	if err := f.Restore(e); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	g, err := grid.New(70, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := grid.Copy(g, e, g.Bounds(), 0, 0); err != nil {
		t.Fatal(err)
	}
	if g.Get(0, 0) != 1 || g.Get(69, 0) != 2 || g.Get(1, 2) != 2 || e.Generation() != 7 {
		t.Errorf("generation %d: cells %d, %d, %d", e.Generation(), g.Get(0, 0), g.Get(69, 0), g.Get(1, 2))
	}

	other := a
	other.Sum = b.Sum
	short := band("c.cells", 1, 1)
	for want, bands := range map[string][]bandfiles.Band{
		"ended before its first":      {},
		"row 1 is in no file":         {a},
		"other rows than those from":  {a, a},
		"its checksum does not match": {other, b},
		"row 2 is in no file":         {a, short},
	} {
		write(bands...)
		band("a.cells", 0, 1) // write removed the files that it did not name
		band("b.cells", 1, 2)
		band("c.cells", 1, 1)
		if _, err := checkpoint.Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := checkpoint.Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a gosper checkpoint") {
		t.Error(err)
	}
}
