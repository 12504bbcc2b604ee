package compile

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/dataflow/dataflowtest"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/rule"
)

// volumeShapes are neighbourhoods in three dimensions: whether a cell counts, and how much, within a radius.
var volumeShapes = []struct {
	name   string
	radius int
	weight func(dx, dy, dz int) int
}{
	{"cube", 1, func(_, _, _ int) int { return 1 }},
	{"cube", 2, func(_, _, _ int) int { return 1 }},
	{"cube", 3, func(_, _, _ int) int { return 1 }},
	{"faces", 1, func(dx, dy, dz int) int { return is(dx*dx+dy*dy+dz*dz == 1) }},
	{"edges", 1, func(dx, dy, dz int) int { return is(dx*dx+dy*dy+dz*dz == 2) }},
	{"corners", 1, func(dx, dy, dz int) int { return is(dx*dx+dy*dy+dz*dz == 3) }},
	{"sphere", 2, func(dx, dy, dz int) int { return is(dx*dx+dy*dy+dz*dz <= 4) }},
	{"sphere", 4, func(dx, dy, dz int) int { return is(dx*dx+dy*dy+dz*dz <= 16) }},
	{"octahedron", 3, func(dx, dy, dz int) int { return is(abs(dx)+abs(dy)+abs(dz) <= 3) }},
	{"half", 2, func(dx, dy, dz int) int { return is(dx+2*dy-dz > 0) }},
	{"one layer up", 1, func(_, _, dz int) int { return is(dz == 1) }},
	{"random", 2, func(dx, dy, dz int) int { return int(rand.NewPCG(uint64(dx*25+dy*5+dz), 9).Uint64() % 2) }},
	{"weights", 1, func(dx, dy, dz int) int { return dx + 2*dy*dz - 1 }},
	{"weights", 2, func(dx, dy, dz int) int { return int(rand.NewPCG(uint64(dx*25+dy*5+dz), 3).Uint64()%5) - 2 }},
}

func is(b bool) int {
	if b {
		return 1
	}
	return 0
}

func abs(x int) int { return max(x, -x) }

// volumeCircuit is the circuit of a sum over several layers with a random threshold. With two planes, the number that
// they hold is added up.
func volumeCircuit(radius int, weight func(dx, dy, dz int) int, planes int, random *rand.Rand) *circuit.Circuit {
	d := draft{&circuit.Circuit{Planes: planes}}
	sum := &circuit.NeighbourSum{}
	for k := range planes {
		sum.Digits = append(sum.Digits, d.node(circuit.Node{Kind: circuit.Input, Plane: k}))
	}
	for dz := -radius; dz <= radius; dz++ {
		for dy := -radius; dy <= radius; dy++ {
			for dx := -radius; dx <= radius; dx++ {
				if w := weight(dx, dy, dz); w != 0 && (dx != 0 || dy != 0 || dz != 0) {
					sum.Offsets = append(sum.Offsets, rule.Offset{DX: dx, DY: dy, DZ: dz, Weight: w})
				}
			}
		}
	}
	least, greatest := sum.Bounds()
	set := func() (s rule.Counts) {
		for at := least; ; {
			lo := at + random.IntN(1+(greatest-least)/2)
			hi := lo + random.IntN(1+(greatest-least)/4)
			if hi > greatest {
				return s
			}
			s = append(s, rule.Interval{Lo: lo, Hi: hi})
			at = hi + 2
		}
	}
	keep := d.node(circuit.Node{
		Kind: circuit.Threshold, Sum: sum, Cell: sum.Digits[0], Birth: set(), Survival: set(),
	})
	d.Out = []circuit.Tap{keep}
	if planes == 2 {
		d.Out = append(d.Out, d.lut(0x96, keep, sum.Digits[1].At(0, 1).Layer(-1), sum.Digits[0]))
	}
	return d.Circuit
}

// TestVolumes checks that no recipe for volumes and no pass of any target changes what the circuit computes, and
// that row programs compute it.
func TestVolumes(t *testing.T) {
	const depth = 4
	taken := map[string]bool{}
	for i, shape := range volumeShapes {
		for planes := 1; planes <= 2; planes++ {
			random := rand.New(rand.NewPCG(uint64(i), uint64(planes)))
			c := volumeCircuit(shape.radius, shape.weight, planes, random)
			var cells [depth][height][width]int
			for z := range cells {
				for y := range cells[z] {
					for x := range cells[z][y] {
						cells[z][y][x] = random.IntN(1 << planes)
					}
				}
			}
			cell := func(plane, x, y, z int) bool {
				return cells[mod(z, depth)][mod(y, height)][mod(x, width)]>>plane&1 == 1
			}
			var want [height + 1][width]uint8
			for y := 1; y <= height; y++ {
				for x := range width {
					want[y][x] = c.EvalVolume(cell, x, y, 0, generation)
				}
			}
			for name, target := range map[string]target{
				"rows": rows(), "columns": columns(), "pairs": pairs(), "neon": neonColumns(),
			} {
				for _, recipe := range dataflow.Volumes {
					about := fmt.Sprintf("%s of radius %d, %d planes, for %s by %s", shape.name, shape.radius, planes, name,
						recipe.Name)
					g, ok := target.step(c, recipe, func(dataflow.Pass, *dataflow.Graph) {})
					if taken[recipe.Name] = taken[recipe.Name] || ok; !ok {
						continue
					}
					if err := g.Verify(); err != nil {
						t.Fatalf("%s: %v", about, err)
					}
					graph := &dataflowtest.Evaluator{Graph: g, Width: width, Volume: cell, First: 1, Reach: shape.radius}
					p := rowprog.From(g)
					if p.Layers != c.Sum().Layers() || p.Up > shape.radius || -p.Down > shape.radius+1 {
						t.Errorf("%s: reads %d layers and rows %d to %d", about, p.Layers, p.Down, p.Up)
					}
					e := &evaluator{p: p, first: 1 - max(p.Up, -p.Down), volume: cell}
					for range p.Streams {
						e.streams = append(e.streams, map[[2]int]bool{})
					}
					for y := 1 - p.Warm; y <= height; y++ {
						row := e.row(y, width)
						for x := 0; y > 0 && x < width; x++ {
							for k := range c.Out {
								bit := want[y][x]>>k&1 == 1
								if got := graph.Out(k, x, y); got != bit {
									t.Fatalf("%s: plane %d of cell (%d, %d) is %v in the graph\n%v", about, k, x, y, got, g)
								}
								if row[k][x] != bit {
									t.Fatalf("%s: plane %d of cell (%d, %d) is %v by the program\n%v", about, k, x, y, row[k][x], p)
								}
							}
						}
					}
				}
			}
		}
	}
	for _, recipe := range dataflow.Volumes {
		if !taken[recipe.Name] {
			t.Errorf("no sum was made by recipe %s", recipe.Name)
		}
	}
}

// TestVolumeRules checks that all programs of a rule compute what its circuit computes. Some rules count as many cells
// as a rule of two dimensions that has a circuit of its own.
func TestVolumeRules(t *testing.T) {
	for _, notation := range []string{
		"3D2,3/3C", "3D2,3/3,6C", "3D2,3,8/3C", "3D2,3/3F", "3D4,5/5", "3D3/2H", "2,3/3/4/C", "3D4,5/5|3D2,3/3C",
	} {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		c, random := circuit.Of(r), rand.New(rand.NewPCG(7, 7))
		var cells [3][height][width]int
		for z := range cells {
			for y := range cells[z] {
				for x := range cells[z][y] {
					cells[z][y][x] = random.IntN(r.States)
				}
			}
		}
		cell := func(plane, x, y, z int) bool {
			return cells[mod(z, 3)][mod(y, height)][mod(x, width)]>>plane&1 == 1
		}
		programs := New(r)
		for name, p := range map[string]*rowprog.Program{
			"rows": programs.Rows(), "columns": programs.Columns(), "pairs": programs.Pairs(), "neon": programs.NEON(),
		} {
			e := &evaluator{p: p, first: 1 - max(p.Up, -p.Down), volume: cell}
			for range p.Streams {
				e.streams = append(e.streams, map[[2]int]bool{})
			}
			for y := 1 - p.Warm; y <= height; y++ {
				row := e.row(y, width)
				for x := 0; y > 0 && x < width; x++ {
					want := c.EvalVolume(cell, x, y, 0, generation)
					for k := range row {
						if row[k][x] != (want>>k&1 == 1) {
							t.Fatalf("%s for %s: plane %d of cell (%d, %d) is %v\n%v", notation, name, k, x, y, row[k][x], p)
						}
					}
				}
			}
		}
	}
}

// TestVolumeTables holds how many tables well-known rules take, and by which recipe.
func TestVolumeTables(t *testing.T) {
	for _, c := range []struct {
		rule, recipe string
		tables       int
	}{
		{"3D4,5/5", "short blocks", 23},
		{"3D2,3/3F", "stacks", 10},
		{"4/4/5/M", "short blocks", 36},
		{"3DR2,C0,M0,S25..43,B25..35,NM", "cubes", 56},
		{"3DR5,C0,M1,S380..700,B405..520,NM", "cubes", 115},
		{"3DR5,C0,M0,S60..150,B70..90,N2", "surfaces", 311},
		{"3DR5,C0,M0,S60..150,B70..90,NN", "surfaces", 245},
		{"3DR16,C0,M0,S6000..9000,B7000..8000,N2", "surfaces", 2188},
	} {
		r, err := rule.Parse(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if recipe, g := columns().shortest(circuit.Of(r)); recipe.Name != c.recipe || g.Tables() != c.tables {
			t.Errorf("%s takes %d tables by %s, and took %d by %s", c.rule, g.Tables(), recipe.Name, c.tables, c.recipe)
		}
	}
}
