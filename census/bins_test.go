package census

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBins takes the censuses of single soups near the limits of bins. A run of the whole soup on another engine gives
// its lifespan, and the smallest phases of its objects give its size. The methuselah is Lidka, whose predecessor of
// 29,300 generations was published as this soup.
func TestBins(t *testing.T) {
	for _, test := range []struct {
		rule, symmetry, root string
		soup                 uint64
		lifespan, size       int // 0 if they do not matter
		want                 string
	}{
		{"B3/S23", "C1", "l_xsQF3KKe8cgm", 3386587, 29300, 0, "methuselah_29k"},
		{"B3/S23", "C4_4", "n_rows", 495595, 619, 0, "messless_6h"},
		{"B3/S23", "C4_4", "n_rows", 304596, 566, 0, "messless_5h"},
		{"B3/S23", "C4_4", "n_rows", 21677, 499, 0, ""},
		{"B3/S23", "C4_4", "n_rows", 51610, 0, 5204, "megasized_52h"},
		{"B3/S23", "D8_4", "n_rows", 3959, 0, 2896, ""}, // 3,016 cells with the gliders
		{"B38/S23", "iiiD8_4", "parts", 10, 0, 3176, ""},
	} {
		symmetry, err := ParseSymmetry(test.symmetry)
		if err != nil {
			t.Fatal(err)
		}
		s := Search{
			Rule: parseRule(t, test.rule), Root: test.root, Symmetry: symmetry, First: test.soup, Soups: 1, Engine: "cpu",
		}
		found, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var want []Bin
		if test.want != "" {
			want = []Bin{{test.want, 1, []uint64{test.soup}}}
		}
		if diff := cmp.Diff(want, found.Notable.Bins); diff != "" {
			t.Errorf("%s%d (-want +got): %s", test.root, test.soup, diff)
		}
		c, err := NewCounter(s.Rule, s.Limits)
		if err != nil {
			t.Fatal(err)
		}
		if cells := s.cells(test.soup); test.lifespan > 0 {
			if n := lifespanOf(t, test.rule, cells); n != test.lifespan {
				t.Errorf("%s%d has lifespan %d, want %d", test.root, test.soup, n, test.lifespan)
			}
			if found.Objects == 0 {
				last := afterOnReference(t, c.rule, cells, 0, test.lifespan-1)
				if after := afterOnReference(t, c.rule, last, 0, 1); len(last) == 0 || len(after) > 0 {
					t.Errorf("%s%d becomes %v and then %v", test.root, test.soup, last, after)
				}
			}
			continue
		}
		size := 0
		for _, n := range found.Counts {
			if n.Code != "xq4_153" {
				size += int(n.Count) * leastCells(t, c, n.Code)
			}
		}
		if size != test.size {
			t.Errorf("%s%d has %d cells in the end, want %d", test.root, test.soup, size, test.size)
		}
	}
}

// TestBinOfLifespan has the limits of the bins of lifespans, which few soups reach.
func TestBinOfLifespan(t *testing.T) {
	for _, test := range []struct {
		lifespan int
		died     bool
		want     string
	}{
		{499, true, ""},
		{500, true, "messless_5h"},
		{500, false, ""},
		{599, true, "messless_5h"},
		{1279, true, "messless_12h"},
		{24999, false, ""},
		{25000, false, "methuselah_25k"},
		{47575, false, "methuselah_47k"},
		{25999, true, "messless_259h methuselah_25k"},
	} {
		if got := strings.Join(lifespanBins(test.lifespan, test.died), " "); got != test.want {
			t.Errorf("%d generations, died %v: %q, want %q", test.lifespan, test.died, got, test.want)
		}
	}
}

// TestBinsAdd joins bins that have more soups than are listed.
func TestBinsAdd(t *testing.T) {
	all := bins{}
	for first := range uint64(3) {
		some := bins{}
		for soup := first; soup < 30; soup += 3 {
			some.add(Bin{"methuselah_25k", 1, []uint64{29 - soup}})
		}
		for _, b := range some {
			all.add(b)
		}
	}
	all.add(Bin{"messless_5h", 1, []uint64{7}})
	all.add(Bin{"megasized_30h", 1, []uint64{8}})
	want := []Bin{
		{"methuselah_25k", 30, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"megasized_30h", 1, []uint64{8}},
		{"messless_5h", 1, []uint64{7}},
	}
	if got := all.list(); !slices.EqualFunc(got, want, func(a, b Bin) bool { return cmp.Equal(a, b) }) {
		t.Errorf("bins %v, want %v", got, want)
	}
}
