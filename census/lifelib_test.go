package census

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSoupsOfLifelib compares soups with those of lifelib's own generator, hashsoup. The columns of
// testdata/lifelib_soups.tsv are the symmetry, the seed, the population, width and height of the soup, and the
// SHA-256 of its cells: moved to (0, 0), sorted by y and x, written as "x,y" and joined by semicolons.
func TestSoupsOfLifelib(t *testing.T) {
	data, err := os.ReadFile("testdata/lifelib_soups.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
	tested := map[string]bool{}
	for _, row := range rows {
		symmetry, rest, _ := strings.Cut(row, "\t")
		seed, want, _ := strings.Cut(rest, "\t")
		s, err := ParseSymmetry(symmetry)
		if err != nil {
			t.Fatal(err)
		}
		tested[symmetry] = true
		cells := SoupOf([]byte(seed), s)
		left, right, top, bottom := cells[0].X, cells[0].X, cells[0].Y, cells[0].Y
		for _, c := range cells {
			left, right, top, bottom = min(left, c.X), max(right, c.X), min(top, c.Y), max(bottom, c.Y)
		}
		for i, c := range cells {
			cells[i] = Cell{X: c.X - left, Y: c.Y - top}
		}
		var text []string
		for _, c := range sorted(cells) {
			text = append(text, fmt.Sprintf("%d,%d", c.X, c.Y))
		}
		sum := sha256.Sum256([]byte(strings.Join(text, ";")))
		got := fmt.Sprintf("%d\t%d\t%d\t%x", len(cells), right-left+1, bottom-top+1, sum)
		if got != want {
			t.Errorf("%s %s: %s, want %s", symmetry, seed, got, want)
		}
	}
	for _, name := range slices.Concat(Symmetries, []string{"iC1", "iC2_2", "iD8_1", "iiC1"}) {
		if !tested[name] {
			t.Errorf("no soup of %s", name)
		}
	}
}
