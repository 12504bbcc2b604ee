package census

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/gosper-life/gosper/census/internal/apgcode"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// drawn is the cells of a pattern drawn with o.
func drawn(rows ...string) []Cell {
	var cells []Cell
	for y, row := range rows {
		for x, v := range row {
			if v == 'o' {
				cells = append(cells, Cell{X: x, Y: y})
			}
		}
	}
	return cells
}

func TestCount(t *testing.T) {
	c, err := NewCounter(parseRule(t, "B3/S23"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		cells []Cell
		want  string
	}{
		{"nothing", nil, ""},
		{"a lone cell", drawn("o"), ""},
		{"a block", drawn("oo", "oo"), "1 xs4_33"},
		{"a bi-block", drawn("oo.oo", "oo.oo"), "2 xs4_33"},
		{"two blocks over a corner", drawn("oo...", "oo...", ".....", "...oo", "...oo"), "2 xs4_33"},
		{"a traffic light", drawn("....o....", "....o....", "....o....", ".........", "ooo...ooo", ".........", "....o....",
			"....o....", "....o...."), "4 xp2_7"},
		{
			"a ship tie, whose ships touch", drawn("oo....", "o.o...", ".oo...", "...oo.", "...o.o", "....oo"),
			"1 xs12_g8o653z11",
		},
		{"a mirrored dock, whose halves hold each other", drawn("oo..oo", "o....o", ".oooo.", "......", ".oooo.", "o....o",
			"oo..oo"), "1 xs20_3lkkl3z32w23"},
		{
			"a pulsar, which is in four parts at times", cellsOf(t, "pulsar"),
			"1 xp3_co9nas0san9oczgoldlo0oldlogz1047210127401",
		},
		{"a glider", cellsOf(t, "glider"), "1 xq4_153"},
		{"two gliders side by side", append(cellsOf(t, "glider"), moved(cellsOf(t, "glider"), 6, -2)...), "2 xq4_153"},
		{
			"a glider behind a spaceship", append(cellsOf(t, "lwss"), moved(cellsOf(t, "glider"), 30, 2)...),
			"1 xq4_153, 1 xq4_6frc",
		},
		{"a pentadecathlon", cellsOf(t, "pentadecathlon"), "1 xp15_4r4z4r4"},
		{
			"a galaxy and a figure eight", append(cellsOf(t, "koks-galaxy"), moved(cellsOf(t, "figure-eight"), 60, 0)...),
			"1 xp8_4b23021eaz57840c4d2, 1 xp8_gk2gb3z11",
		},
		{"diehard", cellsOf(t, "diehard"), ""},
		{"the pi-heptomino", cellsOf(t, "piheptomino"), "5 xp2_7, 6 xs4_33, 2 xs8_6996"},
		{
			"the R-pentomino", cellsOf(t, "rpentomino"),
			"8 xs4_33, 6 xq4_153, 4 xs6_696, 4 xp2_7, 1 xs5_253, 1 xs6_356, 1 xs7_2596",
		},
		{"a growing line", cellsOf(t, "block-laying-switch-engine"), "yl144_1_16_afb5f3db909e60548f086e22ee3353ac"},
	} {
		got := c.Count(test.cells)
		if want, ok := strings.CutPrefix(test.want, "yl"); ok {
			if got.Objects["yl"+want] != 1 || !got.Endless {
				t.Errorf("%s: %v", test.name, got)
			}
			continue
		}
		want := map[string]int{}
		for part := range strings.SplitSeq(test.want, ", ") {
			if part != "" {
				n, code, _ := strings.Cut(part, " ")
				want[code] = int(n[0] - '0')
			}
		}
		if diff := cmp.Diff(want, got.Objects); diff != "" || got.Endless {
			t.Errorf("%s: endless %v, objects (-want +got): %s", test.name, got.Endless, diff)
		}
	}
}

func cellsOf(t *testing.T, name string) []Cell {
	_, cells := builtin(t, name)
	return cells
}

// TestStrikingChangesNothing counts soups with and without taking out the gliders that fly away.
func TestStrikingChangesNothing(t *testing.T) {
	c, err := NewCounter(parseRule(t, "B3/S23"), Limits{})
	if err != nil || !c.gliders {
		t.Fatal(err, c.gliders)
	}
	slow, err := NewCounter(parseRule(t, "B3/S23"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	slow.gliders = false
	for i := range uint64(150) {
		cells := Soup("strike", i, Symmetry{})
		if got, want := c.Count(cells), slow.Count(cells); !maps.Equal(got.Objects, want.Objects) {
			t.Errorf("soup %d: %v, without striking gliders out %v", i, got, want)
		}
	}
}

// TestIndependent holds the quick way to know a zone by its islands to the general one, for every zone in the
// ash of some soups.
func TestIndependent(t *testing.T) {
	c, err := NewCounter(parseRule(t, "B3/S23"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(300) {
		c.Count(Soup("zones", i, Symmetry{}))
	}
	several := 0
	for q, z := range c.seen {
		if z.period == 0 {
			continue // an island that needs another
		}
		var want []string
		for _, o := range c.divide(q.Cells(), z.period, z.dx, z.dy) {
			want = append(want, o.Code)
		}
		var got []string
		for _, number := range z.codes {
			got = append(got, c.codes[number])
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", q.Cells(), got, want)
		}
		if len(got) > 1 {
			several++
		}
	}
	if several < 50 {
		t.Errorf("only %d zones had several objects", several)
	}
}

// TestImage looks up every zone in the ash of some soups by its mirror images and rotations, and compares what
// it says with the zone on its own.
func TestImage(t *testing.T) {
	c, err := NewCounter(parseRule(t, "B3/S23"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(60) {
		c.Count(Soup("images", i, Symmetry{}))
	}
	c.small(squareOf(cellsOf(t, "glider")))
	c.small(squareOf(cellsOf(t, "lwss")))
	ships := 0
	for q := range maps.Clone(c.seen) {
		for _, s := range c.symmetries {
			image := make([]Cell, 0, 16)
			for _, at := range q.Cells() {
				x, y := s.Apply(at.X, at.Y)
				image = append(image, Cell{X: x, Y: y})
			}
			image = squareOf(image).Cells()
			got, ok := c.image(image)
			want := c.zone(image)
			if !ok || got.period != want.period || got.dx != want.dx || got.dy != want.dy ||
				!slices.Equal(slices.Sorted(slices.Values(got.codes)), slices.Sorted(slices.Values(want.codes))) {
				t.Fatalf("%v: %v %v, want %v", image, ok, got, want)
			}
			if got.dx != 0 {
				ships++
			}
		}
	}
	if ships < 16 {
		t.Errorf("only %d spaceships", ships)
	}
}

// squareOf moves a few cells to the corner of a square.
func squareOf(cells []Cell) sparse.Square {
	q, _ := sparse.SquareOf(cells, apgcode.BoxOf(cells))
	return q
}

// TestSearchIsTheSameForAnyThreads takes a census with one thread and several.
func TestSearchIsTheSameForAnyThreads(t *testing.T) {
	s := Search{Rule: parseRule(t, "B3/S23"), Root: "threads", Soups: 300, Threads: 1}
	want, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want.Soups != 300 || want.Objects < 3000 || want.Counts[0].Code != "xs4_33" {
		t.Errorf("a census of %+v", want)
	}
	s.Threads = 3
	got, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with 3 threads (-1 +3): %s", diff)
	}
}

// TestParts takes a census at once and in parts, and joins the parts as the pages say: the counts are added up, the
// lists are sorted.
func TestParts(t *testing.T) {
	var longest, dead, large, endless, binned int
	for _, test := range []struct {
		text, symmetry string
		soups          uint64
		limits         Limits
	}{
		{"B3/S23", "C1", 160, Limits{Population: 400}},
		{"B3/S23", "iiiD8_4", 30, Limits{}},
		{"B36/S23", "C1", 160, Limits{Generations: 400}},
		{wideRules[1], "C1", 160, Limits{}},
		{"B01267/S4", "C1", 160, Limits{Generations: 400}},
	} {
		text := test.text
		symmetry, err := ParseSymmetry(test.symmetry)
		if err != nil {
			t.Fatal(err)
		}
		s := Search{
			Rule: parseRule(t, text), Root: "parts", Symmetry: symmetry, Soups: test.soups, Limits: test.limits,
			Find: func(code string) bool { return strings.HasPrefix(code, "xp") },
		}
		want, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := &Result{}
		counts := map[string]Count{}
		binsOfAll := bins{}
		for first := uint64(0); first < test.soups; first += s.Soups {
			s.First, s.Soups = first, min(9*test.soups/16, test.soups-first)
			part, err := s.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range part.Counts {
				if sum, ok := counts[c.Code]; ok {
					c.Count, c.First = c.Count+sum.Count, min(c.First, sum.First)
				}
				counts[c.Code] = c
			}
			got.Soups, got.Objects, got.Endless = got.Soups+part.Soups, got.Objects+part.Objects, got.Endless+part.Endless
			got.Finds = append(got.Finds, part.Finds...)
			all, more := &got.Notable, part.Notable
			all.Methuselahs, all.Diehards = append(all.Methuselahs, more.Methuselahs...), append(all.Diehards, more.Diehards...)
			all.Largest, all.Endless = append(all.Largest, more.Largest...), append(all.Endless, more.Endless...)
			for _, b := range more.Bins {
				binsOfAll.add(b)
			}
		}
		byLifespan := func(a, b Lived) int { return b.Lifespan - a.Lifespan }
		all := &got.Notable
		all.Methuselahs, all.Diehards = first(all.Methuselahs, byLifespan), first(all.Diehards, byLifespan)
		all.Largest = first(all.Largest, func(a, b Ash) int { return b.Cells - a.Cells })
		growing := func(e Endless) int { return len(slices.DeleteFunc(slices.Clone(e.Codes), isPathological)) }
		all.Endless = first(all.Endless, func(a, b Endless) int { return min(1, growing(b)) - min(1, growing(a)) })
		all.Bins = binsOfAll.list()
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Result{}, "Counts")); diff != "" {
			t.Errorf("%s (-whole +parts): %s", text, diff)
		}
		for _, b := range all.Bins {
			binned = max(binned, int(b.Count))
		}
		longest, dead = max(longest, len(all.Methuselahs)), max(dead, len(all.Diehards))
		large, endless = max(large, len(all.Largest)), max(endless, len(all.Endless))
		if len(want.Counts) != len(counts) {
			t.Errorf("%s: %d kinds in parts, %d at once", text, len(counts), len(want.Counts))
		}
		for _, c := range want.Counts {
			if sum := counts[c.Code]; sum.Count != c.Count || sum.First != c.First {
				t.Errorf("%s: %s: %+v in parts, %+v at once", text, c.Code, sum, c)
			}
		}
	}
	if min(longest, dead, large, endless) < MostNotable || binned < 2 {
		t.Errorf("lists of %d longest-lived, %d dead, %d large and %d endless soups, and bins of %d", longest, dead, large,
			endless, binned)
	}
}

func isPathological(code string) bool { return code == Pathological }

// first returns the first entries of lists that are joined in the order of their soups.
func first[T any](joined []T, compare func(a, b T) int) []T {
	slices.SortStableFunc(joined, compare)
	return joined[:min(len(joined), MostNotable)]
}

// TestDone checks that a census of a few soups, which may take long, tells of each.
func TestDone(t *testing.T) {
	var told atomic.Int64
	s := Search{Rule: parseRule(t, "B3/S23"), Root: "done", Soups: 20, Done: func(uint64) { told.Add(1) }}
	if _, err := s.Run(t.Context()); err != nil || told.Load() != 20 {
		t.Errorf("told %d times of 20 soups, %v", told.Load(), err)
	}
}

// TestInterrupted checks that a census that is cut short is that of the soups it says.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := Search{Rule: parseRule(t, "B3/S23"), Root: "cut", Soups: 1 << 40, Threads: 2, Done: func(uint64) { cancel() }}
	got, err := s.Run(ctx)
	if !errors.Is(err, context.Canceled) || got.Soups < 64 || got.Soups > 10000 {
		t.Fatalf("%v after %d soups", err, got.Soups)
	}
	s = Search{Rule: s.Rule, Root: "cut", Soups: got.Soups}
	want, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-whole +cut): %s", diff)
	}
}

// TestOtherRules takes censuses where soups explode, die, or hold other things than in Life.
func TestOtherRules(t *testing.T) {
	limits := Limits{Generations: 1500, Population: 6000}
	for _, test := range []struct {
		rule string
		has  []string
	}{
		{"B2/S", []string{Pathological}},
		{"B36/S23", []string{"xs4_33", "xp2_7", "xq4_153"}},
		{"B3/S2", []string{"xp2_7"}},
		{"B3/S012345678", []string{Pathological}},
		{"B5/S", nil},
		{"B3-k/S23", []string{"xs4_33"}},
		{"R2,C0,M0,S7..12,B8..11,NM", []string{"xs9_777", "xp4_fff"}},
		{"R4,C0,M1,S24..38,B22..31,NM", []string{"xp2_ffffff", "xs25_vvvvv"}},
		{"B0123478/S01234678", []string{"xs4_33", "xp2_7", "xq4_153"}},
		{"B0156/S0", []string{Pathological, "xp4_0s3113sz0vxgfgz1", "xq2_609"}},
	} {
		s := Search{Rule: parseRule(t, test.rule), Root: "rules", Soups: 40, Limits: limits}
		r, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range test.has {
			if r.Found(code) == 0 {
				t.Errorf("%s: no %s in %v", test.rule, code, r.Counts)
			}
		}
		if len(test.has) == 0 && r.Objects > 0 {
			t.Errorf("%s: found %v", test.rule, r.Counts)
		}
	}
	for _, text := range []string{
		"B0/S23/4", "B0/S|B/S", "R4,C2,S3-8,B0,5-9", "R2,C2,S3,B0,3,NL", "M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,15",
		"B2/S345/D1-2-1", "WireWorld", "R7,C0,M1,S65..114,B65..95,NM",
		"R2,C3,S2-3,B3,NW1111111111110111111111111,012", "R2,C2,S3,B3,NL", "3DR2,C0,M0,S7..12,B8..11,NM",
		"B3/S23History", "B4/S456L", "M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "B3/S23|B36/S23",
	} {
		if _, err := NewCounter(parseRule(t, text), Limits{}); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
	if _, err := NewCounter(parseRule(t, "B3/S23"), Limits{Box: -1}); err == nil {
		t.Error("a negative limit was accepted")
	}
}

func TestSearchRefuses(t *testing.T) {
	r := parseRule(t, "B3/S23")
	for _, s := range []Search{{Rule: r}, {Rule: r, Soups: 2, First: 1<<64 - 1}, {Rule: r, Soups: 1, Threads: -1}} {
		if _, err := s.Run(t.Context()); err == nil {
			t.Errorf("%+v was run", s)
		}
	}
}

// TestSymmetries holds soups to what their symmetry's name says.
func TestSymmetries(t *testing.T) {
	turn := map[string]func(x, y int) Cell{
		"mirror y":     func(x, y int) Cell { return Cell{X: x, Y: -y} },
		"mirror x":     func(x, y int) Cell { return Cell{X: -x, Y: y} },
		"half turn":    func(x, y int) Cell { return Cell{X: -x, Y: -y} },
		"diagonal":     func(x, y int) Cell { return Cell{X: -y, Y: -x} },
		"main":         func(x, y int) Cell { return Cell{X: y, Y: x} },
		"quarter turn": func(x, y int) Cell { return Cell{X: -y, Y: x} },
		"sixth turn":   func(x, y int) Cell { return Cell{X: x - y, Y: x} },
		"third turn":   func(x, y int) Cell { return Cell{X: -y, Y: x - y} },
	}
	groups := map[string][]string{
		"C2_1": {"half turn"}, "C2_2": {"half turn"}, "C2_4": {"half turn"}, "C3_1": {"third turn"},
		"C4_1": {"quarter turn"}, "C4_4": {"quarter turn"}, "C6": {"sixth turn"},
		"D2_+1": {"mirror y"}, "D2_+2": {"mirror y"}, "D2_x": {"diagonal"}, "D2_xo": {"main"}, "D2_+1_gO1s0": {"mirror y"},
		"D4_+1": {"mirror x", "mirror y"}, "D4_+2": {"mirror x", "mirror y"}, "D4_+4": {"mirror x", "mirror y"},
		"D4_x1": {"diagonal", "half turn"}, "D4_x4": {"diagonal", "half turn"},
		// Each sixth of lifelib's D6_1 and D12 is mirrored at a line of its own, which does not meet the centre.
		"D6_1": {"third turn"}, "D12": {"sixth turn"}, "D6_1o": {"main", "third turn"},
		"D8_1": {"diagonal", "mirror x"}, "D8_4": {"diagonal", "mirror x"},
		"G2_1": {"half turn"}, "H2_+1": {"mirror y"}, "H4_+1": {"mirror x", "mirror y"},
	}
	boxes := map[string][2]int{
		"C1": {16, 16}, "8x32": {32, 8}, "4x64": {64, 4}, "2x128": {128, 2}, "1x256": {256, 1}, "10x10": {10, 10},
		"C2_1": {31, 31}, "C2_2": {32, 31}, "C2_4": {32, 32}, "C3_1": {54, 54}, "C4_1": {31, 31}, "C4_4": {32, 32},
		"C6": {61, 61}, "D2_+1": {16, 31}, "D2_+2": {16, 32}, "D2_x": {16, 16}, "D2_xo": {16, 16},
		"D2_+1_gO1s0": {16, 33}, "D2_+1_gO1s1": {17, 33}, "D2_+1_gO1s2": {18, 33},
		"D4_+1": {31, 31}, "D4_+2": {32, 31}, "D4_+4": {32, 32}, "D4_x1": {31, 31}, "D4_x4": {32, 32},
		"D6_1": {54, 54}, "D6_1o": {31, 31}, "D8_1": {31, 31}, "D8_4": {32, 32}, "D12": {61, 61},
		"G1": {16, 16}, "G2_1": {31, 31}, "H2_+1": {16, 31}, "H4_+1": {31, 31},
	}
	if len(boxes) != len(Symmetries) {
		t.Fatalf("%d symmetries are tested of %d", len(boxes), len(Symmetries))
	}
	for _, name := range Symmetries {
		s, err := ParseSymmetry(name)
		if err != nil || s.String() != name {
			t.Fatal(s, err)
		}
		var all []Cell
		for i := range uint64(50) {
			cells := sorted(Soup("symmetry", i, s))
			all = append(all, cells...)
			if len(cells) < 60 && name != "10x10" {
				t.Errorf("%s: soup %d has %d cells", name, i, len(cells))
			}
			if raw := Soup("symmetry", i, s); !slices.Equal(raw, cells) {
				t.Errorf("%s: cells are not in order, or twice", name)
			}
			for _, g := range groups[name] {
				box := apgcode.BoxOf(cells)
				x, y := 2*box.X+box.W-1, 2*box.Y+box.H-1 // the centre, twice
				if slices.Contains([]string{"C3_1", "C6", "D6_1", "D6_1o", "D12"}, name) {
					x, y = 0, 0 // the centre of hexagons is a cell
				}
				var image []Cell
				for _, c := range cells {
					m := turn[g](2*c.X-x, 2*c.Y-y)
					image = append(image, Cell{X: (m.X + x) / 2, Y: (m.Y + y) / 2})
				}
				if !slices.Equal(sorted(image), cells) {
					t.Errorf("%s: soup %d has no %s", name, i, g)
				}
			}
		}
		box := apgcode.BoxOf(sorted(all))
		if [2]int{box.W, box.H} != boxes[name] {
			t.Errorf("%s: soups fill %d×%d, want %v", name, box.W, box.H, boxes[name])
		}
		if side := s.side(); side < max(box.W, box.H) {
			t.Errorf("%s: soups have a side of %d, not %d at most", name, max(box.W, box.H), side)
		}
	}
	doubled, err := ParseSymmetry("iiC1")
	if err != nil || len(Soup("a", 1, doubled)) != 16*len(Soup("a", 1, Symmetry{})) {
		t.Error("an inflated soup is not", err)
	}
	for _, name := range []string{"", "C3", "c1", "iiiiiC1", "Ci1", "D2_+3"} {
		if _, err := ParseSymmetry(name); err == nil {
			t.Errorf("symmetry %q was accepted", name)
		}
	}
}

// TestFinds compares the soups that have an object with the censuses of single soups.
func TestFinds(t *testing.T) {
	const code = "xs7_2596" // a loaf
	s := Search{
		Rule: parseRule(t, "B3/S23"), Root: "finds", First: 5, Soups: 60, Threads: 3, Engine: "cpu",
		Find: func(c string) bool { return c == code },
	}
	got, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var want []Find
	for i := range s.Soups {
		one := s
		one.First, one.Soups, one.Threads, one.Find = s.First+i, 1, 1, nil
		r, err := one.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := r.Found(code); n > 0 {
			want = append(want, Find{s.First + i, code, n})
		}
	}
	if !slices.Equal(got.Finds, want) || len(want) < 10 {
		t.Errorf("found in %v, want %v", got.Finds, want)
	}
}

func BenchmarkCensus(b *testing.B) {
	for b.Loop() {
		s := Search{Rule: parseRule(b, "B3/S23"), Root: "bench", Soups: 2000, Threads: 1}
		if _, err := s.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(2000*float64(b.N)/b.Elapsed().Seconds(), "soups/s")
}

// TestGrowsAtLight looks at soups that are given up early because spaceships leave them at the speed of light: each
// has about as many cells as the limit says later, between two checks. A switch engine of Life is slower, and reaches
// the limit itself.
func TestGrowsAtLight(t *testing.T) {
	const limit = 1600
	early := 0
	for _, text := range []string{"/2/3", "345/2/4"} {
		low, err := NewCounter(parseRule(t, text), Limits{Population: limit, Generations: 3000})
		if err != nil {
			t.Fatal(err)
		}
		high, err := NewCounter(low.rule, Limits{Population: limit * partAtLight, Generations: 9000})
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(18) {
			cells := Soup("x", i, Symmetry{})
			got := low.Count(cells)
			if _, population := low.Reached(); got.Limit != "population" || population > limit {
				continue
			}
			early++
			later := high.Count(cells)
			if _, population := high.Reached(); !later.Endless || population < limit*9/10 || later.Generation <= got.Generation {
				t.Errorf("%s, soup %d: %+v, and with a higher limit %+v with %d cells", text, i, got, later, population)
			}
		}
	}
	if early < 3 {
		t.Errorf("%d soups were given up early", early)
	}
	c, err := NewCounter(parseRule(t, "B3/S23"), Limits{Population: limit})
	if err != nil {
		t.Fatal(err)
	}
	got := c.Count(cellsOf(t, "block-laying-switch-engine"))
	if _, population := c.Reached(); got.Limit != "population" || population < limit*9/10 {
		t.Errorf("the switch engine: %+v at %d cells", got, population)
	}
}
