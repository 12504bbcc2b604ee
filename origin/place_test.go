package origin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/topology"
)

func TestPlacement(t *testing.T) {
	torus := topology.Topology{Kind: topology.Torus, W: 20, H: 15} // its upper left cell is at -10,-7
	tests := []struct {
		name     string
		bounds   grid.Rect
		position *Point
		topology topology.Topology
		at       *Point
		want     Point
	}{
		{"centred as Golly does", grid.Rect{W: 3, H: 4}, nil, torus, nil, Point{9, 5}},
		{"as large as the torus", grid.Rect{W: 20, H: 15}, nil, torus, nil, Point{0, 0}},
		{"header larger than the torus", grid.Rect{W: 21, H: 1}, nil, torus, nil, Point{0, 0}},
		{"at its own place", grid.Rect{W: 3, H: 4}, &Point{-10, -7}, torus, nil, Point{0, 0}},
		{"at a place asked for", grid.Rect{W: 3, H: 4}, &Point{-10, -7}, torus, &Point{0, 0}, Point{10, 7}},
		{"cells not at 0,0", grid.Rect{X: 5, Y: 6, W: 3, H: 4}, nil, torus, &Point{-10, -7}, Point{-5, -6}},
		{"unbounded", grid.Rect{W: 3, H: 4}, nil, topology.Topology{}, nil, Point{0, 0}},
		{"unbounded, at its own place", grid.Rect{W: 3, H: 4}, &Point{-3, 8}, topology.Topology{}, nil, Point{-3, 8}},
		{"strip", grid.Rect{W: 3, H: 4}, nil, topology.Topology{Kind: topology.Torus, W: 20}, nil, Point{9, 0}},
	}
	for _, test := range tests {
		p := &pattern.Pattern{Bounds: test.bounds}
		if test.position != nil {
			p.HasPosition, p.X, p.Y = true, test.position.X, test.position.Y
		}
		if got := Placement(p, test.topology, test.at); got != test.want {
			t.Errorf("%s: cell 0,0 at %v, want %v", test.name, got, test.want)
		}
	}
}

// TestOutside: errors say how many cells --clip leaves out, and with --clip the origin does.
func TestOutside(t *testing.T) {
	const wide = "x = 20, y = 3, rule = B3/S23"
	for _, test := range []struct {
		file, rule string
		want       uint64
		text       string
	}{
		{wide + ":T10,10\n20o$20o$20o!", "", 30, "--clip leaves out 30 of its 60 live cells, as Golly does"},
		{wide + ":P10\n20o$20o$20o!", "", 30, "--clip leaves out 30 of its 60 live cells"},
		{wide + "\n20o$bo$20o!", "B3/S23:P0,2", 20, "--clip leaves out 20 of its 41 live cells"},
		{wide + ":T10,10\n9bob9o!", "", 9, "--clip leaves out 9 of its 10 live cells"},
		{wide + ":T20,3\n20o$20o$20o!", "", 0, ""},
	} {
		p, err := pattern.Read(strings.NewReader(test.file), "wide.rle")
		if err != nil {
			t.Fatal(err)
		}
		_, err = (&Flags{Rule: test.rule}).Of(t.Context(), p)
		if (err == nil) != (test.text == "") || err != nil && !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s with %q: error %v, want %q", test.file, test.rule, err, test.text)
		}
		u, err := (&Flags{Rule: test.rule, Clip: true}).Of(t.Context(), p)
		if err != nil || u.Outside != test.want {
			t.Errorf("%s with %q: %d cells are outside, error %v", test.file, test.rule, u.Outside, err)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]Size{
		"1": {1, 1, 0, true}, "16384": {16384, 16384, 0, true}, "1000x777": {W: 1000, H: 777}, "5X6": {W: 5, H: 6},
		"1e6": {1e6, 1e6, 0, true}, "1_000x2.5e3": {W: 1000, H: 2500}, "64x48x1": {W: 64, H: 48, D: 1},
	} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q: %v (%v)", text, s, err)
		}
	}
	for _, text := range []string{
		"", "x", "0", "-1", "5x", "x5", "5x0", "1e12", "1.5", "5x6x7x8", "5x6x", "1000000000000",
		"99999999999999999999",
	} {
		if err := new(Size).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is no size", text)
		}
	}
}

func TestOpenPattern(t *testing.T) {
	for name, population := range map[string]uint64{
		"glider": 5, "Gosper gun": 36, "xq4_153": 5, "xs4_33": 4,
		"xp15_4r4z4r4": 12, "n_soup1": 114, "C2_1/n_soup1": 228, "D12/n_soup1": 690, "iC1/n_soup1": 456, "C1/any": 140,
		"C2_1/n_soup1/b36s23": 228, "https://catagolue.hatsya.com/hashsoup/C2_1/n_soup1/b3s23": 228,
		"https://catagolue.hatsya.com/object/xq4_153/b3s23": 5, "catagolue.appspot.com/object/xq4_153/b3s23": 5,
	} {
		p, err := OpenPattern(t.Context(), name, pattern.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := p.Cells.Population(); got != population {
			t.Errorf("%s: %d cells, want %d", name, got, population)
		}
	}
	for _, name := range []string{
		"no-such-pattern", "xs5_33", "xq4_", "yl12_1_8_abc", "n_soup", "N_soup1", "C5/n_soup1", "C1/",
		"C1/n_soup1/nonsense", "https://example.org/object/xq4_153/b3s23", "https://catagolue.hatsya.com/object/",
		"C1/" + strings.Repeat("a", 201),
	} {
		if _, err := OpenPattern(t.Context(), name, pattern.Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestScriptsAreNoPatterns names the command for files that are scripts.
func TestScriptsAreNoPatterns(t *testing.T) {
	for _, name := range []string{"a.lua", "A.PY"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("-- a script\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		want := path + ": this is a script, not a pattern; gosper script " + path + " runs it"
		if _, err := OpenPattern(t.Context(), path, pattern.Options{}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestObjectsOfRules opens apgcodes with the rule on which their states depend, and soups with a rule.
func TestObjectsOfRules(t *testing.T) {
	for name, want := range map[string]struct {
		rule       string
		states     int
		population uint64
	}{
		"xp2_7":                 {"", 2, 3},
		"xp2_7/b36s23":          {"B36/S23", 2, 3},
		"xs4_33/23/3/3":         {"23/3/3", 3, 4},
		"xq1_03_3/g3b2s":        {"/2/3", 3, 4},
		"xq1_11_66_22/345/2/4":  {"345/2/4", 4, 6},
		"xq1_03_3//2/3:T50":     {"/2/3", 3, 4},
		"xq1_11_66_22/B2/S345H": {},
		"xq1_03_3":              {},
		"xq1_03_3/nonsense":     {},
		"xq1_03_4/g3b2s":        {"/2/3", 3, 3},
		"xq1_03_03/g3b2s":       {},
		"C1/any/b36s23":         {"B36/S23", 2, 140},
		"C1/any/g3b2s":          {"/2/3", 2, 140},
		"C1/any/b3s23:T64":      {"B3/S23:T64,64", 2, 140},
	} {
		p, err := OpenPattern(t.Context(), name, pattern.Options{})
		if named := Named(name); (named == nil) != (err == nil) {
			t.Errorf("%s: %v, but Named says %v", name, err, named)
		}
		if want.states == 0 {
			if err == nil {
				t.Errorf("%s was opened", name)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if p.Rule != want.rule || p.States != want.states || p.Cells.Population() != want.population {
			t.Errorf("%s has %d cells of %d states under %q, want %+v", name, p.Cells.Population(), p.States, p.Rule, want)
		}
	}
}

// TestUnder checks that only apgcodes without a rule get one.
func TestUnder(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("xp2_7", []byte("3o!"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, rule, want string }{
		{"xq1_03_3", "g3b2s", "xq1_03_3/g3b2s"},
		{"xq1_03_3", "", "xq1_03_3"},
		{"xq1_03_3/g3b2s", "345/2/4", "xq1_03_3/g3b2s"},
		{"xp2_7", "B36/S23", "xp2_7"}, // a file
		{"glider", "B36/S23", "glider"},
		{"-", "B36/S23", "-"},
		{"xs4_33.rle", "B36/S23", "xs4_33.rle"},
	} {
		if got := Under(test.name, test.rule); got != test.want {
			t.Errorf("%s under %q is %s, want %s", test.name, test.rule, got, test.want)
		}
	}
}

// TestWrongCodes: the errors of names that look like apgcodes say what is wrong with them.
func TestWrongCodes(t *testing.T) {
	for name, want := range map[string]string{
		"xs5_33":             "the still life has 4 cells",
		"xp1_7":              "the period must be 2 or more",
		"ov_p60":             "does not say their cells",
		"yl144_1_16_afb5f3d": "does not say their cells",
		"zz_LINEAR":          "does not say their cells",
	} {
		for _, err := range []error{Named(name), func() error {
			_, err := OpenPattern(t.Context(), name, pattern.Options{})
			return err
		}()} {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}
