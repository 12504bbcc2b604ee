package compile

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/dataflow/dataflowtest"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/lut/neon"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ruletest"
	"github.com/gosper-life/gosper/rule"
)

// notations are rules of every family, for which each recipe is taken at least once.
var notations = []string{
	"B3/S23", "B36/S125", "B2-a/S12", "B2/S34H", "B13/S013V", "/2/3", "345/2/6", "B/S", "B/S012345678",
	"R2,C0,M1,S7..10,B7..11,NM", "R3,C4,M1,S14..23,B14..18,NM", "R5,C0,M1,S34..58,B34..45,NM",
	"R9,C0,M0,S108..181,B100..140,NM", "R2,C0,M0,S20..40,B21..33,NG", "R3,C2,S2-7,9,B3-5,8,NC",
	"R3,C3,S2-7,9,B3-5,8,NC", "R4,C2,S10-30,B10-20,NH", "R3,C2,S3-8,B3-4,N*", "R3,C2,S5-9,B4-6,NB",
	"R2,C2,S,B1,NW0000000001000000000000000,11", "R2,C2,S6-36,B-17--16,-14-2,NW00d1606b9370371402163a93b,3c",
	"R6,C0,M0,S28..45,B30..40,NN", "R7,C0,M1,S40..70,B45..60,NN", "R8,C4,M0,S50..80,B55..70,NN",
	"M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "M3,14,7,3,11,5,6,1,7,9,10,2,12,4,8,0", "B3/S23|B2-a/S12",
	"/2/3|345/2/3|12/34/3", "B3/S23|M15,1,2,3,4,5,6,7,8,9,10,11,12,13,14,0",
	"R2,C0,M1,S7..10,B7..11,NM|R5,C0,M1,S34..58,B34..45,NM", "R5,C0,M1,S34..58,B34..45,NM|B3/S23|R2,C0,M0,S3..8,B5..9,NN",
	"R3,C2,S2-7,9,B3-5,8,NH|R6,C0,M0,S28..45,B30..40,NN|R4,C2,S10-30,B10-20,NC",
	"M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15|R2,C0,M0,S20..40,B21..33,NG",
	"R6,C0,M0,S28..45,B30..40,NN|R7,C0,M1,S40..70,B45..60,NN",
}

const width, height, generation = 9, 5, 1

// torus has random cells of a rule.
type torus struct{ states [height][width]int }

func randomTorus(r rule.Rule, seed uint64) *torus {
	random := rand.New(rand.NewPCG(seed, 2))
	t := &torus{}
	for y := range height {
		for x := range width {
			t.states[y][x] = random.IntN(r.States)
			if random.IntN(2) == 0 {
				t.states[y][x] = random.IntN(2)
			}
		}
	}
	return t
}

func (t *torus) cell(plane, x, y int) bool {
	return t.states[mod(y, height)][mod(x, width)]>>plane&1 == 1
}

func mod(a, n int) int { return (a%n + n) % n }

// check compares a graph with the circuit that it was made from, from the first row that it should make right.
func (t *torus) check(tb interface{ Errorf(string, ...any) }, name string, c *circuit.Circuit, g *dataflow.Graph,
	radius int,
) {
	if err := g.Verify(); err != nil {
		tb.Errorf("%s: %v\n%v", name, err, g)
		return
	}
	e := &dataflowtest.Evaluator{Graph: g, Width: width, Cell: t.cell, Generation: generation, First: 1, Reach: radius}
	for y := 1; y <= height; y++ {
		for x := range width {
			want := c.Eval(t.cell, x, y, generation)
			for k := range g.Out {
				if e.Out(k, x, y) != (want>>k&1 == 1) {
					tb.Errorf("%s: plane %d of cell (%d, %d) is %v\n%v", name, k, x, y, want>>k&1 == 0, g)
					return
				}
			}
		}
	}
}

// TestStages checks that no recipe and no pass of any target changes what the circuit computes.
func TestStages(t *testing.T) {
	taken := map[string]bool{}
	for _, notation := range notations {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"rows", "columns", "pairs", "neon", "words", "warps", "warps, not retimed"} {
			stages(t, r, name, taken)
		}
	}
	for _, recipe := range []dataflow.Recipe{
		dataflow.Window, dataflow.Columns, dataflow.Pyramid, dataflow.Edges, dataflow.Diamond, dataflow.Rows, dataflow.Words,
	} {
		if !taken[recipe.Name] {
			t.Errorf("no rule was made by recipe %s", recipe.Name)
		}
	}
}

// TestComplementsPay checks that programs for NEON never take more operations than the programs for columns, with and
// without the instructions of SHA-3.
func TestComplementsPay(t *testing.T) {
	fewer := 0
	for _, notation := range notations {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		for _, sha3 := range []bool{true, false} {
			count := func(p *rowprog.Program) (n int) {
				for _, op := range p.Ops {
					if op.Kind == rowprog.Table && !op.Once {
						n += len(neon.Chain(op.Imm, sha3))
					}
				}
				return n
			}
			was, is := count(Columns(circuit.Of(r))), count(NEON(circuit.Of(r)))
			if is > was {
				t.Errorf("%s: %d operations, were %d, SHA-3: %v", notation, is, was, sha3)
			}
			fewer += was - is
		}
	}
	if fewer < 10 {
		t.Errorf("all programs together take only %d operations less", fewer)
	}
	t.Logf("all programs together take %d operations less", fewer)
}

// TestPairsPay checks that programs for machines with two-input operations never take more operations than the
// programs for columns.
func TestPairsPay(t *testing.T) {
	fewer := 0
	for _, notation := range notations {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		count := func(p *rowprog.Program) (n int) {
			for _, op := range p.Ops {
				if op.Kind == rowprog.Table && !op.Once {
					n += lut.Operations(op.Imm)
				}
			}
			return n
		}
		was, is := count(New(r).Columns()), count(New(r).Pairs())
		if is > was {
			t.Errorf("%s: %d operations, were %d", notation, is, was)
		}
		t.Logf("%s: %d operations, were %d", notation, is, was)
		fewer += was - is
	}
	if fewer < 100 {
		t.Errorf("all programs together take only %d operations less", fewer)
	}
}

// TestShortPairs compares the circuits for pairs with the rules, for all neighbourhoods, and checks that each takes
// fewer operations than that of tables.
func TestShortPairs(t *testing.T) {
	for _, known := range shortPairs {
		t.Run(known.rule, func(t *testing.T) {
			r, err := rule.Parse(known.rule)
			if err != nil {
				t.Fatal(err)
			}
			c := forPairs(r)
			if !reflect.DeepEqual(c, sums(known.next)) {
				t.Fatal("it is not the circuit of the rule")
			}
			next := nextBy(t, c)
			table, _ := r.AsTable()
			for block := range 512 {
				if got := next(block); got != int(table.At(block)) {
					t.Fatalf("block %09b becomes %d", block, got)
				}
			}
			is := operations(lut.Operations).Cost(pairs().by(dataflow.Window, c))
			if is != 19 {
				t.Errorf("%d operations, want 19", is)
			}
			if was := operations(lut.Operations).Cost(pairs().by(dataflow.Window, circuit.Of(r))); is >= was {
				t.Errorf("%d operations, and %d by tables", is, was)
			}
			t.Logf("%d operations", is)
		})
	}
}

// nextBy evaluates a circuit for a block of nine cells.
func nextBy(t *testing.T, c *circuit.Circuit) func(block int) int {
	return func(block int) int {
		var value func(tap circuit.Tap) int
		value = func(tap circuit.Tap) int {
			n := c.Nodes[tap.Node]
			if n.Kind == circuit.Input {
				if max(tap.DX, tap.DY, -tap.DX, -tap.DY) > 1 {
					t.Fatalf("a cell at %d,%d is read", tap.DX, tap.DY)
				}
				return block >> (4 - 3*tap.DY - tap.DX) & 1
			}
			index := 0
			for _, in := range n.In {
				index = index<<1 | value(in.At(tap.DX, tap.DY))
			}
			return int(n.Imm) >> index & 1
		}
		return value(c.Out[0])
	}
}

func TestStagesOfRandomRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := ruletest.Gen().Draw(t, "rule")
		name := rapid.SampledFrom([]string{"rows", "columns", "pairs", "neon", "words", "warps", "warps, not retimed"}).
			Draw(t, "target")
		stages(t, r, name, map[string]bool{})
	})
}

// stages checks the graph of a rule after every stage, for one target and every recipe that fits.
func stages(tb interface{ Errorf(string, ...any) }, r rule.Rule, name string, taken map[string]bool) {
	c, cells := circuit.Of(r), randomTorus(r, 1)
	if name == "pairs" {
		c = forPairs(r)
	}
	target := map[string]target{
		"rows": rows(), "columns": columns(), "pairs": pairs(), "neon": neonColumns(), "words": columns().words(),
		"warps": warps(2, r.Radius(), 0, true), "warps, not retimed": warps(2, r.Radius(), 0, false),
	}[name]
	for _, recipe := range target.recipes {
		_, ok := target.step(c, recipe, func(stage dataflow.Pass, g *dataflow.Graph) {
			cells.check(tb, r.String()+" for "+name+" by "+recipe.Name+", after "+stage.Name, c, g, r.Radius())
		})
		taken[recipe.Name] = taken[recipe.Name] || ok
		if c.Sum() == nil {
			break
		}
	}
}

// TestWarp checks that programs for warps compute what the circuit computes, also with a lead, and with old
// rows read again.
func TestWarp(t *testing.T) {
	recomputed := 0
	for _, notation := range append(notations, "R9,C0,M1,S100..200,B75..170,NM") {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		c, cells := circuit.Of(r), randomTorus(r, 3)
		for _, words := range []int{1, 2, 4} {
			for _, lead := range []bool{false, true} {
				p := Warp(r, words, lead)
				programs := []*warpprog.Program{p}
				if again, ok := p.Recomputed(); ok {
					programs = append(programs, again)
					recomputed++
				}
				for _, p := range programs {
					g := p.Graph
					g.Out = nil
					for _, out := range p.Out {
						g.Out = append(g.Out, out.At(-p.Lead))
					}
					cells.check(t, notation, c, &g, r.Radius())
				}
			}
		}
	}
	if recomputed == 0 {
		t.Error("no program was recomputed")
	}
}

// A node that depends on its own past cannot be recomputed from any number of old rows.
func TestDriftsAreNotRecomputed(t *testing.T) {
	r, err := rule.Parse("R25,C0,M0,S600..900,B650..800,NN")
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []int{1, 2, 4} {
		p := Warp(r, words, false)
		if !p.Recurrent || !p.Drifts {
			t.Fatalf("recurrent %v, drifts %v", p.Recurrent, p.Drifts)
		}
		p.Recomputed() // must terminate
	}
}

// evaluator runs a row program on a torus, bit by bit, the obvious way.
type evaluator struct {
	p       *rowprog.Program
	first   int // rows before it have not entered: they are dead
	cells   func(plane, x, y int) bool
	volume  func(plane, x, y, layer int) bool // in place of cells
	streams []map[[2]int]bool                 // by row and column
}

// column returns where column x of a stream is kept. A column beyond the torus has a place of its own. Only a
// program that drifts sees rows as rings, so its columns wrap.
func (e *evaluator) column(x int) int {
	if e.p.Drifts {
		return mod(x, width)
	}
	return x
}

// row computes the outputs of row y.
func (e *evaluator) row(y, width int) [][]bool {
	type place struct{ op, x int }
	memo := map[place]bool{}
	var value func(o rowprog.Operand, x int) bool
	value = func(o rowprog.Operand, x int) bool {
		at := place{o.Value, x + o.DX}
		if v, ok := memo[at]; ok {
			return v
		}
		op := &e.p.Ops[o.Value]
		var v bool
		switch op.Kind {
		case rowprog.Const:
			v = op.Imm != 0
		case rowprog.Load:
			switch {
			case op.Stream < e.p.Planes && e.volume != nil:
				v = y+op.DY >= e.first && e.volume(op.Stream, at.x, y+op.DY, op.DZ)
			case op.Stream < e.p.Planes:
				v = y+op.DY >= e.first && e.cells(op.Stream, at.x, y+op.DY)
			case op.Stream < e.p.Random():
				v = e.p.Given[op.Stream-e.p.Planes].At(at.x, y+op.DY, 0, generation)
			case op.Stream < e.p.Kept():
				v = e.p.Chances[op.Stream-e.p.Random()].At(0, at.x, y+op.DY, generation)
			default:
				v = e.streams[op.Stream][[2]int{y + op.DY, e.column(at.x)}]
			}
		case rowprog.Carry:
			if at.x <= 0 {
				v = value(op.In[1], at.x)
			} else {
				v = value(op.In[0], at.x-1)
			}
		case rowprog.Table:
			index := 0
			for k := range op.N {
				if value(op.In[k], at.x) {
					index |= 4 >> k
				}
			}
			v = op.Imm>>index&1 == 1
		}
		memo[at] = v
		return v
	}
	out := make([][]bool, len(e.p.Out))
	for k, o := range e.p.Out {
		out[k] = make([]bool, width)
		for x := range width {
			out[k][x] = value(o, x)
		}
	}
	for _, s := range e.p.Stores {
		for x := -e.p.Reach - 1; x <= width+e.p.Reach; x++ {
			e.streams[s.Stream][[2]int{y, e.column(x)}] = value(s.Value, x)
		}
	}
	return out
}

// TestRowPrograms checks that programs for processors compute what the circuit computes.
func TestRowPrograms(t *testing.T) {
	for _, notation := range notations {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		c, cells := circuit.Of(r), randomTorus(r, 4)
		for name, p := range map[string]*rowprog.Program{"rows": Rows(c), "columns": Columns(c)} {
			e := &evaluator{p: p, first: 1 - max(p.Up, -p.Down), cells: cells.cell}
			for range p.Streams {
				e.streams = append(e.streams, map[[2]int]bool{})
			}
			for y := 1 - p.Warm; y <= height; y++ {
				out := e.row(y, width)
				for x := 0; y > 0 && x < width; x++ {
					want := c.Eval(cells.cell, x, y, generation)
					for k := range out {
						if out[k][x] != (want>>k&1 == 1) {
							t.Fatalf("%s by %s: plane %d of cell (%d, %d) is %v\n%v", notation, name, k, x, y, out[k][x], p)
						}
					}
				}
			}
		}
	}
}

func TestCountRows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const w = 40
	for _, c := range []struct{ n, planes int }{{1, 1}, {2, 1}, {3, 2}, {7, 1}, {8, 3}, {32, 1}} {
		rows := make([][w]bool, c.n*c.planes)
		var want [w]int
		for i := range c.n {
			for x := range w {
				alive := 0
				for k := range c.planes {
					// column 0 is dead, the last alive
					if rows[i*c.planes+k][x] = x > 0 && (x == w-1 || random.IntN(2) == 0); rows[i*c.planes+k][x] {
						alive = 1
					}
				}
				want[x] += alive
			}
		}
		p := CountRows(c.n, c.planes)
		e := &evaluator{p: p, cells: func(plane, x, _ int) bool { return rows[plane][x] }}
		digits := e.row(0, w)
		for x := range w {
			got := 0
			for k := range p.Out {
				if digits[k][x] {
					got |= 1 << k
				}
			}
			if got != want[x] {
				t.Errorf("%d rows of %d planes: column %d has %d live cells, counted %d\n%v", c.n, c.planes, x, want[x], got, p)
				break
			}
		}
	}
}
