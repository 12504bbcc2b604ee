package gosper

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/pattern"
)

// TestClosed calls everything of a closed universe, on every engine that runs here: what needs cells says that
// they are gone, the rest goes on.
func TestClosed(t *testing.T) {
	p, err := pattern.Read(strings.NewReader("bo$2bo$3o!"), "glider.rle")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, engine := range []string{"cpu", "hashlife", "lookup", "reference"} {
		for _, notation := range []string{"B3/S23:T64,64", "B3/S23", "critters:T64,64"} {
			u, err := Open(notation, WithEngine(engine))
			if err != nil {
				continue
			}
			if err := u.Step(t.Context(), 3); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := u.Close(); err != nil {
					t.Errorf("%s %s: %v", engine, notation, err)
				}
			}
			if u.Generation() != 3 || u.Planes() != 1 || u.Info().Engine != engine || u.Rule().States != 2 {
				t.Errorf("%s %s: generation %d, %d planes, %+v", engine, notation, u.Generation(), u.Planes(), u.Info())
			}
			s := Soup{Density: 0.5}
			if !u.Topology().Bounded() {
				s.W, s.H = 8, 8
			}
			file := filepath.Join(dir, "glider.rle")
			row := make([]uint64, 1)
			for call, f := range map[string]func() error{
				"Step":            func() error { return u.Step(t.Context(), 1) },
				"Fill":            func() error { return u.Fill(t.Context(), s) },
				"Population":      func() error { _, err := u.Population(); return err },
				"Cell":            func() error { _, err := u.Cell(1, 1); return err },
				"SetCell":         func() error { return u.SetCell(1, 1, 1) },
				"Paste":           func() error { return u.Paste(p, 1, 1) },
				"Extent":          func() error { _, err := u.Extent(); return err },
				"ReadRow":         func() error { return u.ReadRow(row, 0, 0, 0, 8) },
				"WriteRow":        func() error { return u.WriteRow(row, 0, 0, 0, 8) },
				"Hash":            func() error { _, err := u.Hash(t.Context()); return err },
				"Clusters":        func() error { _, err := u.Clusters(component.Eight); return err },
				"Save":            func() error { return u.Save(file) },
				"WriteCheckpoint": func() error { return u.WriteCheckpoint(file) },
			} {
				if err := f(); err == nil || !strings.Contains(err.Error(), errClosed.Error()) {
					t.Errorf("%s %s: %s: %v", engine, notation, call, err)
				}
			}
			if err := u.Reverse(t.Context()); err == nil {
				t.Errorf("%s %s was reversed", engine, notation)
			}
			if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
				t.Errorf("%s %s left %v (%v)", engine, notation, left, err)
			}
		}
	}
}
