package builtin

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/internal/names"
	"github.com/gosper-life/gosper/pattern"
)

// read reads a built-in pattern with package pattern's reader.
func read(t *testing.T, name string) (Pattern, life, universe) {
	t.Helper()
	famous, ok := Lookup(name)
	if !ok {
		t.Fatalf("no built-in pattern %q", name)
	}
	p, err := pattern.Options{MaxBytes: 1 << 20}.Read(t.Context(), strings.NewReader(famous.RLE), name+".rle")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	l, ok := lives[famous.Rule]
	if !ok {
		t.Fatalf("%s: the test does not know the rule %s", name, famous.Rule)
	}
	u := make(universe)
	for y := p.Bounds.Y; y < p.Bounds.Y+p.Bounds.H; y++ {
		for x := p.Bounds.X; x < p.Bounds.X+p.Bounds.W; x++ {
			if state := p.Cells.Get(x, y); state != 0 {
				u[cell{x, y}] = state
			}
		}
	}
	return famous, l, u
}

// Still lifes, oscillators and spaceships: cells, smallest period, displacement in a period.
var periodic = []struct {
	name                       string
	population, period, dx, dy int
}{
	{"block", 4, 1, 0, 0},
	{"tub", 4, 1, 0, 0},
	{"boat", 5, 1, 0, 0},
	{"beehive", 6, 1, 0, 0},
	{"ship", 6, 1, 0, 0},
	{"barge", 6, 1, 0, 0},
	{"aircraft-carrier", 6, 1, 0, 0},
	{"snake", 6, 1, 0, 0},
	{"loaf", 7, 1, 0, 0},
	{"long-boat", 7, 1, 0, 0},
	{"eater1", 7, 1, 0, 0},
	{"pond", 8, 1, 0, 0},
	{"mango", 8, 1, 0, 0},
	{"integral-sign", 9, 1, 0, 0},
	{"ship-tie", 12, 1, 0, 0},
	{"paperclip", 14, 1, 0, 0},
	{"eater2", 19, 1, 0, 0},
	{"blinker", 3, 2, 0, 0},
	{"toad", 6, 2, 0, 0},
	{"beacon", 6, 2, 0, 0},
	{"clock", 6, 2, 0, 0},
	{"phoenix", 12, 2, 0, 0},
	{"caterer", 12, 3, 0, 0},
	{"jam", 13, 3, 0, 0},
	{"cross", 28, 3, 0, 0},
	{"pulsar", 48, 3, 0, 0},
	{"quasar", 144, 3, 0, 0},
	{"mazing", 12, 4, 0, 0},
	{"mold", 12, 4, 0, 0},
	{"monogram", 18, 4, 0, 0},
	{"pinwheel", 35, 4, 0, 0},
	{"octagon2", 16, 5, 0, 0},
	{"fumarole", 18, 5, 0, 0},
	{"unix", 16, 6, 0, 0},
	{"burloaferimeter", 28, 7, 0, 0},
	{"figure-eight", 18, 8, 0, 0},
	{"hertz-oscillator", 35, 8, 0, 0},
	{"koks-galaxy", 48, 8, 0, 0},
	{"worker-bee", 34, 9, 0, 0},
	{"snacker", 40, 9, 0, 0},
	{"dinner-table", 34, 12, 0, 0},
	{"tumbler", 16, 14, 0, 0},
	{"pentadecathlon", 12, 15, 0, 0},
	{"rich-p16", 34, 16, 0, 0},
	{"queen-bee-shuttle", 23, 30, 0, 0},
	{"gourmet", 67, 32, 0, 0},
	{"beluchenko-p37", 124, 37, 0, 0},
	{"twin-bees-shuttle", 38, 46, 0, 0},
	{"tanner-p46", 41, 46, 0, 0},
	{"beluchenko-p51", 112, 51, 0, 0},
	{"p54-shuttle", 68, 54, 0, 0},
	{"gabriel-p138", 44, 138, 0, 0},
	{"achim-p144", 42, 144, 0, 0},
	{"92p156", 92, 156, 0, 0},
	{"bosco", 68, 166, 0, 0},
	{"60p312", 60, 312, 0, 0},
	{"brain-glider", 4, 1, -1, 0},
	{"star-wars-glider", 6, 1, -1, 0},
	{"boscos-bug", 70, 1, 1, 0},
	{"25p3h1v0.1", 25, 3, 0, -1},
	{"dart", 34, 3, 0, -1},
	{"turtle", 44, 3, -1, 0},
	{"wasp", 53, 3, 0, -1},
	{"brain", 70, 3, 0, -1},
	{"fly", 157, 3, -1, 0},
	{"glider", 5, 4, 1, 1},
	{"lwss", 9, 4, -2, 0},
	{"mwss", 11, 4, -2, 0},
	{"hwss", 13, 4, -2, 0},
	{"x66", 34, 4, -2, 0},
	{"canada-goose", 36, 4, -1, -1},
	{"swan", 49, 4, -1, -1},
	{"oblique-bug", 65, 4, 2, -1},
	{"big-glider", 68, 4, -1, -1},
	{"enterprise", 77, 4, -1, -1},
	{"119p4h1v0", 119, 4, -1, 0},
	{"30p5h2v0", 30, 5, 0, -2},
	{"44p5h2v0", 44, 5, 0, -2},
	{"58p5h1v1", 58, 5, -1, -1},
	{"spider", 76, 5, 0, -1},
	{"snail", 128, 5, -1, 0},
	{"56p6h1v0", 56, 6, 0, -1},
	{"sir-robin", 282, 6, -1, -2},
	{"loafer", 20, 7, -1, 0},
	{"weekender", 36, 7, 0, -2},
	{"lobster", 83, 7, -1, -1},
	{"copperhead", 30, 10, 0, -1},
	{"schick-engine", 40, 12, -6, 0},
	{"coe-ship", 28, 16, 8, 0},
	{"ecologist", 71, 20, -10, 0},
	{"jitterbug", 33, 40, 4, 0},
	{"bomber", 20, 48, 8, -8},
	{"2-engine-cordership", 100, 96, -8, -8},
}

func TestPeriodic(t *testing.T) {
	for _, want := range periodic {
		famous, l, start := read(t, want.name)
		if len(start) != want.population {
			t.Errorf("%s has %d cells, want %d", want.name, len(start), want.population)
		}
		goal, u := start.moved(want.dx, want.dy), start
		for generation := 1; generation <= want.period; generation++ {
			u = l.step(u)
			dx, dy := u.corner().x-start.corner().x, u.corner().y-start.corner().y
			if generation < want.period && maps.Equal(u, start.moved(dx, dy)) {
				t.Errorf("%s has period %d, want %d", want.name, generation, want.period)
				break
			}
		}
		if !maps.Equal(u, goal) {
			t.Errorf("%s is not itself, displaced by (%d,%d), after %d generations", want.name, want.dx, want.dy, want.period)
		}
		if says := kind(want.period, want.dx, want.dy); !strings.Contains(famous.Comment, says) {
			t.Errorf("%s is %q; its comment says %q", want.name, says, famous.Comment)
		}
	}
}

// kind returns the words that the comment of a pattern must have if it comes back displaced by (dx, dy) after period
// generations.
func kind(period, dx, dy int) string {
	right, down := max(dx, -dx), max(dy, -dy)
	long, short := max(right, down), min(right, down)
	switch {
	case long == 0 && period == 1:
		return "Still life"
	case long == 0:
		return fmt.Sprintf("Oscillator of period %d", period)
	case short != 0 && short != long:
		return fmt.Sprintf("(%d,%d)c/%d", long, short, period)
	}
	direction := " orthogonal"
	if short == long {
		direction = " diagonal"
	}
	divisor := gcd(long, period)
	speed := "c"
	if long != divisor {
		speed = strconv.Itoa(long/divisor) + "c"
	}
	if period != divisor {
		speed += "/" + strconv.Itoa(period/divisor)
	}
	return speed + direction
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Guns, puffers and rakes: from generation start on the population grows by growth every period. Start and growth of
// those that begin with chaos are from Golly.
var growing = []struct {
	name                  string
	period, growth, start int
}{
	{"p24-gun", 24, 5, 0},
	{"gosper-gun", 30, 5, 0},
	{"new-gun", 46, 5, 0},
	{"ak94-gun", 94, 5, 0},
	{"simkin-gun", 120, 5, 0},
	{"blinker-puffer", 8, 3, 0},
	{"space-rake", 20, 5, 0},
	{"puffer1", 128, 26, 12},
	{"block-laying-switch-engine", 288, 32, 0},
	{"infinite-growth", 288, 32, 564},
	{"infinite-growth-5x5", 288, 32, 660},
	{"infinite-growth-line", 288, 64, 1483},
}

func TestGrowing(t *testing.T) {
	for _, want := range growing {
		famous, l, start := read(t, want.name)
		population := l.populations(start, want.start+want.period+want.period/2)
		for g := want.start; g+want.period < len(population); g++ {
			if growth := population[g+want.period] - population[g]; growth != want.growth {
				t.Errorf("%s grows by %d from generation %d to %d, want %d",
					want.name, growth, g, g+want.period, want.growth)
				break
			}
		}
		if want.start > 0 && population[want.start-1]+want.growth == population[want.start-1+want.period] {
			t.Errorf("%s is periodic before generation %d", want.name, want.start)
		}
		says := fmt.Sprintf("of period %d", want.period)
		if !strings.Contains(famous.Comment, says) && !strings.Contains(famous.Comment, "block-laying switch engine") {
			t.Errorf("%s: the comment does not say %q: %q", want.name, says, famous.Comment)
		}
	}
}

// Engines that leave debris: after a period the pattern contains all its first cells again, displaced.
func TestEngines(t *testing.T) {
	for _, want := range []struct {
		name           string
		period, dx, dy int
	}{
		{"switch-engine", 96, -8, -8},
		{"puffer-train", 20, 0, -10},
	} {
		_, l, start := read(t, want.name)
		if !l.run(start, want.period).contains(start.moved(want.dx, want.dy)) {
			t.Errorf("%s does not move by (%d,%d) in %d generations", want.name, want.dx, want.dy, want.period)
		}
	}
}

// Methuselahs: the generation from which the population repeats (with period 2 at most), and the population then.
// Where that is beyond what a test can run, the populations at generations 200 and 500 vouch for the pattern. All
// figures are from Golly.
var methuselahs = []struct {
	name                           string
	stable, population, p200, p500 int
}{
	{"century", 103, 15, 0, 0},
	{"wing", 104, 9, 0, 0},
	{"herschel", 128, 24, 0, 0},
	{"diehard", 130, 0, 0, 0},
	{"bheptomino", 148, 28, 0, 0},
	{"piheptomino", 173, 55, 0, 0},
	{"thunderbird", 242, 46, 0, 0},
	{"rpentomino", 1103, 116, 0, 0},
	{"multum-in-parvo", 3933, 633, 284, 485},
	{"acorn", 5206, 633, 169, 276},
	{"rabbits", 17331, 1744, 100, 138},
	{"bunnies", 17332, 1744, 96, 144},
	{"blom", 23313, 2740, 160, 337},
	{"justyna", 26458, 3546, 123, 148},
	{"iwona", 28786, 3091, 168, 286},
	{"lidka", 29055, 1623, 223, 559},
}

func TestMethuselahs(t *testing.T) {
	for _, want := range methuselahs {
		famous, l, start := read(t, want.name)
		if want.p500 != 0 {
			population := l.populations(start, 500)
			if population[200] != want.p200 || population[500] != want.p500 {
				t.Errorf("%s has %d and %d cells at generations 200 and 500, want %d and %d",
					want.name, population[200], population[500], want.p200, want.p500)
			}
		} else {
			population := l.populations(start, want.stable+40)
			for g := want.stable; g+2 < len(population); g++ {
				if population[g] != want.population || population[g+2] != want.population {
					t.Errorf("%s has %d cells at generation %d, want %d", want.name, population[g], g, want.population)
					break
				}
			}
			if population[want.stable-1] == want.population {
				t.Errorf("%s is stable before generation %d", want.name, want.stable)
			}
		}
		// Two official figures go by the cells and are one higher than those that go by the population.
		here, next := fmt.Sprint("generation ", want.stable), fmt.Sprint("generation ", want.stable+1)
		if !strings.Contains(famous.Comment, here) && !strings.Contains(famous.Comment, next) {
			t.Errorf("%s: the comment does not say %q: %q", want.name, here, famous.Comment)
		}
		if says := fmt.Sprintf("with %d ", want.population); want.population > 0 && !strings.Contains(famous.Comment, says) {
			t.Errorf("%s: the comment does not say %q: %q", want.name, says, famous.Comment)
		}
	}
}

func TestMaxFillsThePlane(t *testing.T) {
	_, l, start := read(t, "max")
	population := l.populations(start, 100)
	for g := 8; g+8 < len(population); g++ {
		// Population t²/4 + O(t), separately for every t mod 4.
		if second := population[g+8] - 2*population[g+4] + population[g]; second != 8 {
			t.Fatalf("second difference %d at generation %d, want 8", second, g)
		}
	}
	if population[100] != 3645 {
		t.Errorf("population %d at generation 100, want 3645", population[100])
	}
}

func TestHighLifeReplicator(t *testing.T) {
	_, l, start := read(t, "highlife-replicator")
	twice := start.moved(-2, -2)
	maps.Copy(twice, start.moved(2, 2))
	if u := l.run(start, 12); !maps.Equal(u, twice) {
		t.Errorf("after 12 generations there are %d cells, not two copies", len(u))
	}
	population := l.populations(start, 84)
	for copies, want := range []int{12, 24, 24, 48, 24, 48, 48, 96} {
		if population[12*copies] != want {
			t.Errorf("population %d at generation %d, want %d", population[12*copies], 12*copies, want)
		}
	}
}

func TestEveryPatternIsChecked(t *testing.T) {
	checked := map[string]bool{"max": true, "highlife-replicator": true, "switch-engine": true, "puffer-train": true}
	for _, row := range periodic {
		checked[row.name] = true
	}
	for _, row := range growing {
		checked[row.name] = true
	}
	for _, row := range methuselahs {
		checked[row.name] = true
	}
	var names []string
	for _, famous := range All() {
		names = append(names, famous.Name)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(checked)), names); diff != "" {
		t.Errorf("patterns checked and patterns there: %s", diff)
	}
}

func TestFindThemselves(t *testing.T) {
	for _, famous := range All() {
		for _, name := range append([]string{famous.Name}, famous.Aliases...) {
			found, ok := Lookup(strings.ToUpper(strings.ReplaceAll(name, " ", "_")))
			if !ok {
				t.Errorf("Lookup does not find %q", name)
			} else if diff := cmp.Diff(famous, found); diff != "" {
				t.Errorf("Lookup(%q): %s", name, diff)
			}
		}
	}
	for alias, name := range map[string]string{
		"Gosper glider gun": "gosper-gun", "R pentomino": "rpentomino", "LIGHTWEIGHT SPACESHIP": "lwss", "fishhook": "eater1",
		"galaxy": "koks-galaxy", "Koks Galaxy": "koks-galaxy", "figure 8": "figure-eight", "spacefiller": "max",
	} {
		if found, _ := Lookup(alias); found.Name != name {
			t.Errorf("Lookup(%q) is %q, want %q", alias, found.Name, name)
		}
	}
	for _, name := range []string{"", "-", "no such pattern"} {
		if found, ok := Lookup(name); ok {
			t.Errorf("Lookup(%q) is %q", name, found.Name)
		}
	}
}

// The lines that describe reads must be those that Read understands.
func TestReadAsDescribed(t *testing.T) {
	for _, famous := range All() {
		p, err := pattern.Options{MaxBytes: 1 << 20}.Read(t.Context(), strings.NewReader(famous.RLE), "")
		if err != nil {
			t.Errorf("%s: %v", famous.Name, err)
			continue
		}
		if p.Rule != famous.Rule || len(p.Comments) == 0 || p.Comments[0] != famous.Comment {
			t.Errorf("%s: read with rule %q and comments %q", famous.Name, p.Rule, p.Comments)
		}
		if names.Fold(p.Name) != names.Fold(famous.Name) && !slices.Contains(famous.Aliases, p.Name) {
			t.Errorf("%s: its full name %q is no alias", famous.Name, p.Name)
		}
		if occupied := p.Cells.Bounds(); occupied != p.Bounds {
			t.Errorf("%s: the header says %v, the cells are in %v", famous.Name, p.Bounds, occupied)
		}
	}
}

func TestAreNotShared(t *testing.T) {
	gun, _ := Lookup("gosper-gun")
	gun.Aliases[0] = "spoilt"
	for _, famous := range All() {
		if slices.Contains(famous.Aliases, "spoilt") {
			t.Error("a caller can change the built-in patterns")
		}
	}
}

func TestDescribeRefuses(t *testing.T) {
	for _, text := range []string{
		"", "#N Block\nx = 2, y = 2, rule = B3/S23\n2o$2o!",
		"#C A block.\nx = 2, y = 2\n2o$2o!",
	} {
		if famous, err := describe("block", text); err == nil {
			t.Errorf("describe(%q) = %+v", text, famous)
		}
	}
}
