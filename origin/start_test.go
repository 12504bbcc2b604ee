package origin

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/hashlife"
	_ "github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/soup"
)

func ptr[T any](v T) *T { return &v }

// Every engine begins with the cells of the start and has the same later.
func TestStartsOnEngines(t *testing.T) {
	for _, f := range []Flags{
		{Start: "exact~1=777"},
		{Start: "exact", Density: ptr(0.3)},
		{Start: "shares~1=0.2,3=0.1", Rule: "B2/S345/4"},
		{Start: "blocks~side=5", Density: ptr(0.4)},
		{Start: "gauss~length=3", Density: ptr(0.4)},
		{Start: "gauss~power=2", Size: Size{W: 97, H: 50}},
		{Start: "cell~flip=0.1", Rule: "B3/S23~flip=0.01"},
		{Start: "soup~flip=0.01", Size: Size{W: 130, H: 3}, Topology: "plane"},
		{Start: "pattern~flip=0.02", Pattern: "gosper-gun", Size: Size{W: 100, H: 63}, At: &Point{X: -20, Y: -9}},
		{Start: "repeat", Pattern: "rpentomino"},
		{Start: "repeat~x=20,y=15,dx=7,set1=0.01", Pattern: "glider", Rule: "B2/S345/4"},
		{Start: "exact~1=20", Topology: "unbounded", Size: Size{W: 30, H: 20}},
	} {
		if f.Size == (Size{}) {
			f.Size = Size{W: 120, H: 90}
		}
		f.Seed = ptr(uint64(3))
		if strings.HasPrefix(f.Start, "repeat") && !strings.Contains(f.Start, "set") {
			f.Seed = nil
		}
		var first [2]*grid.Grid
		engines := []string{"reference", "cpu"}
		if f.Topology == "unbounded" {
			engines[0] = hashlife.Name
		}
		for _, engine := range engines {
			u, e := opened(t, &f, 10, engine)
			for j, after := range []uint64{0, 7} {
				if _, err := e.Step(t.Context(), after); err != nil {
					t.Fatal(err)
				}
				g, err := grid.New(f.Size.W, f.Size.H, grid.PlanesOf(u.Config.Rule.States))
				if err != nil {
					t.Fatal(err)
				}
				if err := grid.Copy(g, e, g.Bounds(), 0, 0); err != nil {
					t.Fatal(err)
				}
				if first[j] == nil {
					first[j] = g
				} else if !g.Equal(first[j]) {
					t.Errorf("%+v: other cells on %s after %d generations", f, engine, after)
				}
			}
		}
		if first[0].Population() == 0 {
			t.Errorf("%+v: no cells", f)
		}
	}
}

// The arguments that an origin gives make the same universe again.
func TestStartsRepeat(t *testing.T) {
	for _, c := range []struct {
		flags Flags
		want  string
	}{
		{
			Flags{Start: "exact~2=5,1=7", Rule: "B2/S345/4", Size: Size{W: 30, H: 20}, Seed: ptr(uint64(5))},
			"--rule 345/2/4:T30,20 --start 'exact~1=7,2=5' --seed 5",
		},
		{Flags{Start: "soup", Size: Size{W: 30, H: 20}, Seed: ptr(uint64(5))}, "--rule B3/S23:T30,20 --density 0.5 --seed 5"},
		{
			Flags{Start: "gauss~length=2.0", Size: Size{W: 30, H: 20}, Density: ptr(0.25), Seed: ptr(uint64(5))},
			"--rule B3/S23:T30,20 --start 'gauss~length=2' --density 0.25 --seed 5",
		},
		{
			Flags{Pattern: "glider", Start: "pattern~flip=.5", Size: Size{W: 30, H: 20}, Seed: ptr(uint64(5))},
			"glider --rule B3/S23:T30,20 --start 'pattern~flip=0.5' --seed 5",
		},
		{Flags{Pattern: "glider", Start: "repeat", Size: Size{W: 30, H: 20}}, "glider --rule B3/S23:T30,20 --start repeat"},
		{Flags{Pattern: "glider", Start: "pattern", Size: Size{W: 30, H: 20}}, "glider --rule B3/S23:T30,20"},
	} {
		u, err := c.flags.Origin(t.Context(), nil)
		if err != nil || u.Repeat != c.want {
			t.Errorf("%+v: %q, error %v, want %q", c.flags, u.Repeat, err, c.want)
		}
	}
	u, e := opened(t, &Flags{Pattern: "glider", Start: "repeat~x=10,y=10,dx=2", Size: Size{W: 30, H: 20}}, 1, sim.Auto)
	if n, err := sim.Population(e); err != nil || n.Uint64() != 30 || u.Seed != "" || u.Start.IsSoup() {
		t.Errorf("population %v, error %v, seed %q", n, err, u.Seed)
	}
	var none soup.Start
	if !none.IsSoup() {
		t.Error("the zero value is no soup")
	}
}

func TestStartRefusals(t *testing.T) {
	size := Size{W: 30, H: 20}
	for _, c := range []struct {
		flags Flags
		want  string
	}{
		{Flags{Start: "gaus~length=3"}, `start "gaus~length=3": want one of soup, exact`},
		{Flags{Start: "repeat"}, "--start repeat needs a pattern"},
		{Flags{Start: "repeat~of=glider", Size: size}, "name the pattern as the argument, and leave out of=glider"},
		{Flags{Start: "exact", Pattern: "glider"}, "leave the pattern out, or want pattern or repeat"},
		{Flags{Start: "exact~1=5", Density: ptr(0.5)}, "--density has no meaning for --start exact~1=5"},
		{Flags{Start: "repeat", Pattern: "glider"}, "bound it with --size"},
		{Flags{Start: "repeat~x=2", Pattern: "glider", Size: size}, "the pattern's 3×3 cells do not fit a period of 2×3"},
		{Flags{Start: "repeat", Pattern: "glider", Size: size, At: &Point{}}, "say dx and dy"},
		{Flags{Start: "repeat", Pattern: "glider", Size: size, Seed: ptr(uint64(1))}, "--seed is for soups, for noise"},
		{Flags{Start: "pattern~flip=0.1", Pattern: "glider", Size: size, Rule: "B2/S345/4"}, "flip is for two states"},
		{Flags{Start: "exact~1=601", Size: size}, "601 cells are more than the 30×20 there are"},
		{Flags{Start: "exact", Density: ptr(1.5)}, "density"},
		{Flags{Start: "cell", Resume: "x"}, "leave them out"},
	} {
		if _, err := c.flags.Origin(t.Context(), nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %s", c.flags, err, c.want)
		}
	}
}
