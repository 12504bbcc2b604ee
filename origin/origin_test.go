package origin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/hashlife"
)

// gunFile is a gun that has fired for 2^40 generations: a kilobyte of macrocells, terabytes of cells.
func gunFile(t *testing.T) string {
	t.Helper()
	u, e := opened(t, &Flags{Pattern: "gosper-gun"}, 1<<40, sim.Auto)
	if _, err := e.Step(t.Context(), 1<<40); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "gun.mc")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := pattern.Write(file, pattern.Macrocell, e, u.MetaAt(1<<40)); err != nil {
		t.Fatal(err)
	}
	return path
}

// opened is a universe loaded for a run of some generations.
func opened(t *testing.T, f *Flags, ahead uint64, engine string) (*Origin, sim.Engine) {
	t.Helper()
	u, err := f.Origin(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	u.Config.Outlook.Ahead = ahead
	e, err := u.Open(t.Context(), engine)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if err := u.Load(t.Context(), e, nil); err != nil {
		t.Fatal(err)
	}
	return u, e
}

// Auto is hashed life for what nothing else runs in time, and only for that.
func TestAutoTakesHashedLife(t *testing.T) {
	gun := gunFile(t) // whose cells no memory holds: to draw them anywhere would fail
	for _, c := range []struct {
		flags Flags
		ahead uint64
		want  string
	}{
		{Flags{Pattern: "glider"}, 1e12, hashlife.Name},
		{Flags{Pattern: "glider"}, 1e6, "cpu"},
		{Flags{Pattern: "glider"}, 0, "cpu"},
		{Flags{Pattern: "glider", Rule: "345/2/4"}, 1e12, hashlife.Name},
		{Flags{Pattern: "glider", Size: Size{W: 64, H: 64}}, 1e12, hashlife.Name},
		{Flags{Pattern: "glider", Size: Size{W: 65, H: 64}}, 1e12, "cpu"},
		{Flags{Pattern: "glider", Topology: "plane", Size: Size{W: 1 << 17, H: 1 << 17}}, 1 << 26, hashlife.Name},
		{Flags{Pattern: "glider", Topology: "plane", Size: Size{W: 1 << 10, H: 1 << 10}}, 1 << 26, "cpu"},
		{Flags{Topology: "unbounded", Size: Size{W: 64, H: 64}}, 1e12, "cpu"},
		{Flags{Pattern: gun}, 1, hashlife.Name},
		{Flags{Pattern: gun}, 0, hashlife.Name},
	} {
		if _, e := opened(t, &c.flags, c.ahead, sim.Auto); e.Info().Engine != c.want {
			t.Errorf("%+v for %d generations: engine %s, want %s", c.flags, c.ahead, e.Info().Engine, c.want)
		}
	}
	u, err := (&Flags{Pattern: gun}).Origin(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := u.Open(t.Context(), "cpu")
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Load(t.Context(), e, nil); err == nil {
		t.Error("cells that no memory holds were drawn")
	}
}

// Trees of files are cells like others where they must be.
func TestTreesAreDrawnWhereTheyMustBe(t *testing.T) {
	_, e := opened(t, &Flags{Pattern: "gosper-gun"}, 0, hashlife.Name)
	if _, err := e.Step(t.Context(), 3000); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "gun.mc")
	if err := pattern.WriteFile(t.Context(), path, e, pattern.Meta{Rule: "B3/S23", HasPosition: true, States: 2},
		false); err != nil {
		t.Fatal(err)
	}
	want, err := e.Population()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []Flags{
		{Pattern: path},
		{Pattern: path, At: &Point{X: 7, Y: 9}},
		{Pattern: path, Size: Size{W: 3000, H: 3000}},
	} {
		for _, engine := range []string{"cpu", hashlife.Name} {
			if engine == hashlife.Name && f.Size != (Size{}) {
				continue
			}
			_, e := opened(t, &f, 0, engine)
			if got, err := e.Population(); got != want || err != nil {
				t.Errorf("%+v on %s: %d cells, %v, want %d", f, engine, got, err, want)
			}
			if box, err := e.Extent(); err != nil || f.At != nil && (box.X != 7 || box.Y != 9) {
				t.Errorf("%+v on %s: cells in %v, %v", f, engine, box, err)
			}
		}
	}
}

// The last generation that a number can count has none after it.
func TestLastGeneration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "last.mc")
	for generation, want := range map[string]bool{"18446744073709551614": true, "18446744073709551615": false} {
		file := "[M2] (Gosper)\n#R B3/S23\n#G " + generation + "\n**$**$\n4 1 0 0 0\n"
		if err := os.WriteFile(path, []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := (&Flags{Pattern: path}).Origin(t.Context(), nil); (err == nil) != want {
			t.Errorf("generation %s: error %v", generation, err)
		}
	}
}
