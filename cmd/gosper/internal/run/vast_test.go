package run

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// TestVastTorus runs a glider on a torus of 2^60 cells, whose every use takes time for its cells alone: hashes,
// checkpoints, files and conditions.
func TestVastTorus(t *testing.T) {
	dir := t.TempDir()
	const glider = "x = 3, y = 3, rule = B3/S23:T1073741824,1073741824\nbo$2bo$3o!\n"
	if err := os.WriteFile(filepath.Join(dir, "g.rle"), []byte(glider), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := clitest.RunJSON(t, dir, "g.rle", "--to", "110")
	if whole.Population != 5 || len(whole.Hash) != 64 {
		t.Errorf("%+v", whole)
	}
	clitest.MustRun(t, dir, "run", "g.rle", "--to", "100", "--checkpoint", "c.ckpt", "--out", "o.mc", "--out", "o.rle",
		"--series", "s.csv", "--every", "10", "-q")
	clitest.MustRun(t, dir, "convert", "g.rle", "g.mc")
	for _, args := range [][]string{
		{"--resume", "c.ckpt"},
		{"o.mc"},
		{"o.rle"},
		{"g.mc"},
		{"g.rle", "--until", "stable"},
		{"g.rle", "--engine", "hashlife"},
	} {
		again := clitest.RunJSON(t, dir, append(args, "--to", "110")...)
		if again.Hash != whole.Hash || again.Generation != 110 {
			t.Errorf("%v: %+v, want the hash %s", args, again, whole.Hash)
		}
	}
	if other := clitest.RunJSON(t, dir, "g.rle", "--to", "111"); other.Hash == whole.Hash {
		t.Error("other cells have the same hash")
	}
	for _, args := range [][]string{
		{"info", "c.ckpt"},
		{"info", "g.rle"},
		{"render", "g.rle", "-g", "4", "--out", "film.gif", "-q"},
		{"identify", "g.rle"},
	} {
		clitest.MustRun(t, dir, args...)
	}
}
