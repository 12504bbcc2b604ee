package run

import (
	"path/filepath"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// TestOddGenerationsOfB0 compares the plane, whose background a B0 rule without Smax makes alive at odd generations, with a torus that
// is large enough to hold what happens: what is counted on the plane is what is dead on the torus. A file goes on where it was left.
func TestOddGenerationsOfB0(t *testing.T) {
	t.Parallel()
	const side = 200
	dir := t.TempDir()
	for _, g := range []string{"1", "2", "7", "20", "21"} {
		odd := (g[len(g)-1]-'0')%2 == 1
		torus := clitest.RunJSON(t, dir, "glider", "--rule", "B03/S23", "--size", "200", "-g", g)
		plane := clitest.RunJSON(t, dir, "glider", "--rule", "B03/S23", "-g", g, "--out", "at"+g+".rle", "--out", "at"+g+".mc")
		want := torus.Population
		if odd {
			want = side*side - want
		}
		if plane.Population != want {
			t.Errorf("generation %s: %d cells, want %d", g, plane.Population, want)
		}
		later := clitest.RunJSON(t, dir, "glider", "--rule", "B03/S23", "--to", "30")
		for _, file := range []string{"at" + g + ".rle", "at" + g + ".mc"} {
			if again := clitest.RunJSON(t, dir, filepath.Join(dir, file), "--to", "30"); again.Hash != later.Hash {
				t.Errorf("%s goes on to %d cells, want %d", file, again.Population, later.Population)
			}
		}
	}
}
