package gosper_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gosper-life/gosper"
	"github.com/gosper-life/gosper/sim/simtest"
)

// hashedPatterns are files of Golly's collection of all kinds, with generations that are no powers of two.
var hashedPatterns = []struct {
	file       string
	generation uint64
	brief      bool // it is run each time
}{
	{"HashLife/broken-lines.mc", 123_457, false},
	{"HashLife/catacryst.mc", 20_011, false},
	{"HashLife/gotts-dots.mc", 10_007, true},
	{"HashLife/hashlife-oddity1.mc", 100_003, false},
	{"HashLife/hexadecimal.mc.gz", 30_011, false},
	{"HashLife/jagged.mc", 30_011, false},
	{"HashLife/linear-propagator-p237228340.mc.gz", 10_007, false},
	{"HashLife/loafer-gun-p8388608-linear.mc.gz", 30_011, false},
	{"HashLife/logarithmic-width.mc", 100_003, false},
	{"HashLife/metapixel-galaxy.mc.gz", 3_333, false},
	{"HashLife/metapixel-parity64.mc.gz", 2_999, false},
	{"HashLife/mosquito5.mc", 12_345, false},
	{"HashLife/nick-gotts-1.mc", 9_999, true},
	{"HashLife/puzzle.mc", 7_777, false},
	{"HashLife/ruler.mc", 77_777, false},
	{"HashLife/totalperiodic.mc", 12_345, true},
	{"HashLife/wedge-grow.mc", 9_999, true},
	{"HashLife/wolfram22.mc", 999_999, true},
	{"Life/Breeders/breeder.lif", 6_001, false},
	{"Life/Breeders/spacefiller.rle", 777, true},
	{"Life/Guns/golly-ticker.rle", 5_005, false},
	{"Life/Methuselahs/rabbits.lif", 17_001, false},
	{"Life/Puffers/line-puffer-unstable.rle", 3_003, false},
	{"Life/Signal-Circuitry/Turing-Machine-3-state.rle", 11_041, false},
	{"Life-Like/Day-and-Night-gun-and-antigun.rle", 1_001, false},
	{"Life-Like/HighLife-replicator-spaceship.rle", 1_537, true},
	{"Life-Like/persian-rugs.lif", 321, true},
	{"Non-Totalistic/intergalactic-cruise-ship-factory.rle", 999, true},
	{"Non-Totalistic/limited-spacefiller.rle", 555, true},
	{"Generations/Delta.rle", 333, true},
	{"Generations/Sawfish.rle", 321, true},
	{"Loops/Langtons-Loops.rle", 1_501, true},
	{"Loops/Byl-Loop.rle", 701, true},
	{"Other-Rules/Langtons-Ant.rle", 11_111, true},
	{"Self-Rep/Codd/extend-coder-demo.rle", 1_111, true},
	{"Turmites/Perfectionist.rle", 3_333, true},
	{"WireWorld/primes.mc", 2_222, false},
	{"Turmites/AlienCounter.rle", 1_023, true},
}

// TestHashedPatterns checks that hashed life has bgolly's cells, each at its place: of some small files, of all with
// simtest.LongVariable.
func TestHashedPatterns(t *testing.T) {
	bgolly := lookGolly(t)
	t.Setenv("GOSPER_RULES", "")
	for _, c := range hashedPatterns {
		if !c.brief && os.Getenv(simtest.LongVariable) == "" {
			continue
		}
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			u := openHashed(t, filepath.Join(gollyFolder, "Patterns", c.file))
			if err := u.Step(t.Context(), c.generation-u.Generation()); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			theirs, err := runGolly(t, bgolly, filepath.Join(gollyFolder, "Patterns", c.file), dir, c.generation)
			if err != nil {
				t.Fatal(err)
			}
			sameHash(t, u, openHashed(t, theirs), "bgolly")
		})
	}
}

// hashedRules are rules that bgolly's hashed life runs as well. Soups of those that explode run for fewer
// generations: they do not repeat, so hashed life would take hours.
var hashedRules = []struct {
	rule     string
	explodes bool
}{
	{"B3/S23", false},
	{"B36/S23", false},
	{"B3678/S34678", false},
	{"B1/S012345678", true},
	{"B35/S236", true},
	{"B2/S", true},
	{"B3/S23V", false},
	{"B2/S34H", true},
	{"B2-a/S12", true},
	{"B3/S2-i34q", false},
	{"B36k/S23-q", false},
	{"345/2/4", true},
	{"/2/3", true},
	{"12/34/9", false},
}

// TestHashedSoups checks that hashed life has the cells of tiles and of bgolly: of a few soups, of 200 with
// simtest.LongVariable.
func TestHashedSoups(t *testing.T) {
	bgolly := lookGolly(t)
	soups := len(hashedRules)
	if os.Getenv(simtest.LongVariable) != "" {
		soups = 210
	}
	for seed := range soups {
		c := hashedRules[seed%len(hashedRules)]
		t.Run(fmt.Sprintf("%s,%d", c.rule, seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(seed), 16))
			soup := gosper.Soup{
				Density: 0.2 + 0.4*random.Float64(), Seed: uint64(seed), W: 20 + random.IntN(80),
				H: 20 + random.IntN(80),
			}
			most := 400
			if c.explodes {
				most = 60
			}
			generation := uint64(2*random.IntN(most) + 65)
			var all []*gosper.Universe
			for _, engine := range []string{"hashlife", "cpu"} {
				u, err := gosper.Open(c.rule, gosper.WithEngine(engine), gosper.WithThreads(1))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { u.Close() })
				if err := u.Fill(t.Context(), soup); err != nil {
					t.Fatal(err)
				}
				all = append(all, u)
			}
			dir := t.TempDir()
			start := filepath.Join(dir, "start.mc")
			if err := all[0].Save(start); err != nil {
				t.Fatal(err)
			}
			for _, u := range all {
				if err := u.Step(t.Context(), generation); err != nil {
					t.Fatal(err)
				}
			}
			sameHash(t, all[0], all[1], "tiles")
			theirs, err := runGolly(t, bgolly, start, dir, generation)
			if err != nil {
				t.Fatal(err)
			}
			sameHash(t, all[0], openHashed(t, theirs), "bgolly")
		})
	}
}

// lookGolly is the path of bgolly, which comes with its patterns.
func lookGolly(t *testing.T) string {
	t.Helper()
	bgolly, err := exec.LookPath("bgolly")
	if _, missing := os.Stat(gollyFolder); err != nil || missing != nil {
		t.Skip("Golly is not installed (apt-get install golly): nothing is compared with it")
	}
	if testing.Short() {
		t.Skip("-short: nothing is compared with Golly")
	}
	return bgolly
}

// openHashed opens a pattern file with hashed life.
func openHashed(t *testing.T, path string) *gosper.Universe {
	t.Helper()
	u, err := gosper.OpenPattern(path, gosper.WithEngine("hashlife"), gosper.WithThreads(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	return u
}

// sameHash compares two universes by what their hashes and populations say.
func sameHash(t *testing.T, got, want *gosper.Universe, of string) {
	t.Helper()
	var hashes [2]string
	var populations [2]uint64
	for i, u := range []*gosper.Universe{got, want} {
		var err error
		if hashes[i], err = u.Hash(t.Context()); err != nil {
			t.Fatal(err)
		}
		if populations[i], err = u.Population(); err != nil {
			t.Fatal(err)
		}
	}
	if hashes[0] != hashes[1] || populations[0] != populations[1] {
		t.Errorf("generation %d: %d cells, hash %s; %s has %d, hash %s", got.Generation(), populations[0], hashes[0], of,
			populations[1], hashes[1])
	}
}
