package wavefront_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/ptx/ptxtest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cuda/internal/wavefront"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// text is the kernel of a rule and the bytes of its rings.
func text(t *testing.T, notation string, s wavefront.Plan) (ptxText string, ringBytes int) {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	var m ptx.Module
	ringBytes = wavefront.Write(&m, "stream", compile.Warp(r, s.Words, false), s)
	return m.String(), ringBytes
}

// The kernel of Conway's rule, a generation a pass, to be read as well.
func TestGolden(t *testing.T) {
	const golden = "testdata/life.ptx"
	got, _ := text(t, "B3/S23", wavefront.Plan{Depth: 1, Words: 1, Unroll: 1, Stages: 1})
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// A kernel takes as many parameters as a launch gives, and rings are as large as the rows that they remember.
func TestArgumentsAndRings(t *testing.T) {
	for _, c := range []struct {
		rule  string
		s     wavefront.Plan
		rings int // rows of a lane
	}{
		{"B3/S23", wavefront.Plan{Depth: 3, Words: 2, Unroll: 3, Stages: 2}, 0},
		{"345/2/7", wavefront.Plan{Depth: 2, Words: 1, Unroll: 2, Stages: 1, Plane: true}, 0},
		{"3D4,5/5", wavefront.Plan{Depth: 1, Words: 1, Unroll: 2, Stages: 1, Plane: true, Volume: true}, 0},
		// sums of 11 cells have 4 digits, remembered for 11 rows: 12 with turns of 3
		{"R5,C0,M1,S34..58,B34..45,NM", wavefront.Plan{Depth: 1, Words: 2, Unroll: 3, Stages: 1}, 4 * 12},
		{"R5,C0,M1,S34..58,B34..45,NM", wavefront.Plan{Depth: 1, Words: 2, Unroll: 11, Stages: 1, Kept: 1}, 3 * 11},
	} {
		got, ringBytes := text(t, c.rule, c.s)
		if want := c.rings * 4 * c.s.Words * ptx.Lanes; ringBytes != want {
			t.Errorf("%s, %+v: rings of %d bytes, want %d", c.rule, c.s, ringBytes, want)
		}
		args := wavefront.Arguments{}
		if c.s.Volume {
			args.LayerRows = 1
		}
		if n, want := strings.Count(got, ".param ."), len(args.Append(nil)); n != want {
			t.Errorf("%s: %d parameters, want %d", c.rule, n, want)
		}
		if _, err := ptxtest.Parse(got); err != nil {
			t.Errorf("%s: %v", c.rule, err)
		}
	}
}

// Strips go on in the next tier, so that only the last one has lanes left over. Strips of programs that use their
// sides start again in each tier.
func TestWarps(t *testing.T) {
	life := func(s wavefront.Plan) (*warpprog.Program, wavefront.Plan) {
		r, err := rule.Parse("B3/S23")
		if err != nil {
			t.Fatal(err)
		}
		return compile.Warp(r, s.Words, !s.Plane), s
	}
	for _, c := range []struct {
		plane                      bool
		groups, height, rows, want int
	}{
		{false, 256, 16384, 16384, 9},    // 31 groups each
		{false, 256, 16384, 1000, 141},   // 17 tiers of 256 groups and one around: not 17·9
		{false, 1024, 65536, 2048, 1059}, // not 32·34
		{false, 1, 100, 10, 1},           // ten narrow tiers in one warp
		{true, 256, 16384, 1000, 153},    // on a plane 30 groups each, and nothing shared
	} {
		f, s := life(wavefront.Plan{Depth: 12, Words: 2, Unroll: 3, Stages: 1, Plane: c.plane})
		if got := s.Warps(f, c.groups, 1, c.height, c.rows); got != c.want {
			t.Errorf("%d groups, %d of %d rows: %d strips, want %d", c.groups, c.rows, c.height, got, c.want)
		}
	}
}
