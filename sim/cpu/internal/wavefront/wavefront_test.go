package wavefront

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// sheet is rows from first on, of which those before 0 and from height on may be held dead between generations.
type sheet struct {
	planes, first, height int
	before, after         [][]uint64 // by row and plane
	dead                  bool
}

func (s *sheet) at(rows [][]uint64, plane, y int) []uint64 { return rows[(y-s.first)*s.planes+plane] }

func (s *sheet) Input(plane, y int) []uint64   { return s.at(s.before, plane, y) }
func (s *sheet) Ahead(int) []uint64            { return nil }
func (s *sheet) Output(plane, y int) []uint64  { return s.at(s.after, plane, y) }
func (s *sheet) Outside(y int) bool            { return s.dead && (y < 0 || y >= s.height) }
func (s *sheet) Confine(row []uint64, _ int)   { clear(row) }
func (s *sheet) rows(n, stride int) [][]uint64 { return newRows(n*s.planes, stride) }

func newRows(n, stride int) [][]uint64 {
	rows := make([][]uint64, n)
	for i := range rows {
		rows[i] = layout.AlignedWords(stride)
	}
	return rows
}

// TestWavefront checks that a pass of several generations has the same result as single generations, with every code.
func TestWavefront(t *testing.T) {
	for _, notation := range []string{
		"B3/S23", "345/2/7", "B/S012345678", "R2,C0,M1,S6..9,B5..7,NM", "R4,C0,M1,S20..40,B22..33,NM",
		"R3,C3,M0,S6..9,B5..7,NN",
	} {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		compiled := compile.New(r)
		for _, dead := range []bool{false, true} {
			var want [][]uint64
			for _, c := range codegen.Codes {
				if c.Available() != nil {
					continue
				}
				// rows of 50,000 cells are too long for two steps of a level
				for _, size := range [][2]int{{700, 1}, {700, 9}, {700, 40}, {50_000, 9}} {
					name := fmt.Sprintf("%s, %s, %v cells, dead around: %v", notation, c, size, dead)
					got := advance(t, c, c.Program(compiled), size[0], size[1], 5, dead)
					for _, depths := range [][]int{{1, 1, 1, 1, 1}, {2, 3}} {
						if apart := advance(t, c, c.Program(compiled), size[0], size[1], 5, dead, depths...); !slices.EqualFunc(got,
							apart, slices.Equal) {
							t.Errorf("%s: %v generations at once differ from 5", name, depths)
						}
					}
					if size[1] == 40 && want == nil {
						want = got
					} else if size[1] == 40 && !slices.EqualFunc(got, want, slices.Equal) {
						t.Errorf("%s: other cells than by the first code", name)
					}
				}
			}
		}
	}
}

// advance returns the cells of rows 0 to height-1 after runs of the depths, or one run of all generations, from
// random ones.
func advance(t *testing.T, c codegen.Code, p *rowprog.Program, w, height, generations int, dead bool,
	depths ...int,
) [][]uint64 {
	t.Helper()
	if depths == nil {
		depths = []int{generations}
	}
	l := layout.New(w, height, c.Lanes(), 1, p.Radius())
	halo := l.Moves(func(x int) (int, bool) { return (x%w + w) % w, true })
	k, err := codegen.NewKernel(c, p, &l, halo)
	if err != nil {
		t.Fatal(err)
	}
	front := New(p, &l, l.Places(), slices.Max(depths), k)
	around := generations * p.Radius()
	s := &sheet{planes: p.Planes, first: -around, height: height, dead: dead}
	s.before, s.after = s.rows(height+2*around, l.Stride), s.rows(height+2*around, l.Stride)
	for i, row := range s.before {
		cells := make([]uint64, (w+63)/64)
		if y := i/p.Planes - around; !s.Outside(y) {
			random := rand.New(rand.NewPCG(5, uint64(y)))
			for k := range cells {
				cells[k] = random.Uint64() & random.Uint64() // few live cells, and no state beyond the last
			}
			if i%p.Planes > 0 {
				clear(cells)
			}
			cells[len(cells)-1] &= 1<<(w%64) - 1
		}
		l.Pack(row, 0, cells)
		l.FillHalo(row, halo)
	}
	for _, depth := range depths {
		generations -= depth
		margin := generations * p.Radius()
		if dead {
			margin = 0
		}
		front.Run(s, 0, depth, -margin, height+margin)
		s.before, s.after = s.after, s.before
		if dead { // what no run has written
			for i := range s.before {
				if s.Outside(i/p.Planes - around) {
					clear(s.before[i])
				}
			}
		}
	}
	var cells [][]uint64
	for y := range height {
		for k := range p.Planes {
			row := make([]uint64, (w+63)/64)
			l.Unpack(row, s.Input(k, y), 0)
			cells = append(cells, row)
		}
	}
	return cells
}
