package run

import (
	"path/filepath"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// TestOddGenerationsOfB0 compares the plane with a torus that is large enough for the pattern. The rule is a B0 rule
// without Smax, which makes the background alive at odd generations. The count on the plane must be the number of
// dead cells on the torus. A file goes on where it was left.
func TestOddGenerationsOfB0(t *testing.T) {
	t.Parallel()
	const side = 200
	dir := t.TempDir()
	for _, g := range []string{"1", "2", "7", "20", "21"} {
		odd := (g[len(g)-1]-'0')%2 == 1
		torus := clitest.RunJSON(t, dir, "glider", "--rule", "B03/S23", "--size", "200", "-g", g)
		plane := clitest.RunJSON(t, dir, "glider", "--rule", "B03/S23", "-g", g, "--out", "at"+g+".rle", "--out",
			"at"+g+".mc")
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

// TestBackgroundsOfStates is the same for rules of more states. The torus says how many cells there are in
// each. Runs go on from files and checkpoints, on two threads and in hashed life.
func TestBackgroundsOfStates(t *testing.T) {
	t.Parallel()
	const side = 120
	dir := t.TempDir()
	for _, rule := range []string{"B03/S23/3", "B03/S238/3", "R2,C4,M0,S3..8,B0..3,NM", "/2/3|345/02/3"} {
		later := clitest.RunJSON(t, dir, "glider", "--rule", rule, "--to", "23", "--threads", "2")
		for _, g := range []string{"1", "5", "13"} {
			torus := clitest.RunJSON(t, dir, "glider", "--rule", rule, "--size", "120", "-g", g)
			plane := clitest.RunJSON(t, dir, "glider", "--rule", rule, "-g", g, "--out", "at.rle", "--out", "at.mc",
				"--checkpoint", "at.ckpt", "--force")
			cells := uint64(0)
			for state, n := range torus.States {
				if state == int(plane.Background) {
					continue
				}
				if cells += n; n != plane.States[state] {
					t.Errorf("%s, generation %s: %d cells in state %d, want %d", rule, g, plane.States[state], state, n)
				}
			}
			if plane.Population != cells || torus.States[plane.Background] != side*side-cells {
				t.Errorf("%s, generation %s: %d cells on background %d, want %d", rule, g, plane.Population, plane.Background,
					cells)
			}
			for _, args := range [][]string{{"at.rle"}, {"at.mc", "--engine", "hashlife"}, {"--resume", "at.ckpt"}} {
				if again := clitest.RunJSON(t, dir, append(args, "--to", "23")...); again.Hash != later.Hash ||
					again.Background != later.Background {
					t.Errorf("%s, from generation %s by %v: %d cells on background %d, want %d, %d", rule, g, args, again.Population,
						again.Background, later.Population, later.Background)
				}
			}
		}
	}
}
