package run

import (
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// TestGollyB0 holds --golly-b0 to what Golly does: with Smax the complemented rule runs on the given cells;
// without, even generations are those of the true rule and odd ones their complement.
func TestGollyB0(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	soup := []string{"--size", "40x31", "--seed", "99", "--density", "0.4", "--hash", "bytes"}
	run := func(flags ...string) clitest.Report { return clitest.RunJSON(t, dir, append(flags, soup...)...) }

	life := run("--rule", "B3/S23", "-g", "21")
	if got := run("--rule", "B0123478/S01234678", "--golly-b0", "-g", "21"); got.Hash != life.Hash {
		t.Errorf("the complement of Life has %d cells, Life %d", got.Population, life.Population)
	}
	for _, g := range []string{"20", "21"} {
		truth, golly := run("--rule", "B03/S23", "-g", g), run("--rule", "B03/S23", "--golly-b0", "-g", g)
		same := truth.Hash == golly.Hash
		if complement := truth.Population+golly.Population == 40*31; same != (g == "20") || complement != (g == "21") {
			t.Errorf("generation %s: %d cells, truly %d of %d", g, golly.Population, truth.Population, 40*31)
		}
	}
}
