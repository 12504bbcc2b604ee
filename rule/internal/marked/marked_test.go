package marked

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
)

var (
	moore      = []int{local.NW, local.N, local.NE, local.W, local.E, local.SW, local.S, local.SE}
	hexagonal  = []int{local.NW, local.N, local.W, local.E, local.S, local.SE}
	vonNeumann = []int{local.N, local.W, local.E, local.S}
)

// counting returns the rule that counts some neighbours. The bits of births and survivals are its counts.
func counting(neighbours []int, births, survivals int) Rule {
	mask := 0
	for _, cell := range neighbours {
		mask |= 1 << (8 - cell)
	}
	return Rule{
		Name: "R", Neighbourhood: neighbourhood.Set{Letter: 'M', Radius: 1}, Cells: mask,
		Lives: func(block int) bool {
			n := 0
			for _, cell := range neighbours {
				n += block >> (8 - cell) & 1
			}
			if block>>4&1 == 1 {
				return survivals>>n&1 == 1
			}
			return births>>n&1 == 1
		},
	}
}

var life = counting(moore, 1<<3, 1<<2|1<<3)

// naive has a second implementation of each kind of marks, from its description. It returns the next state of a
// cell, given the states of its neighbours, and R's answer for a block in which the cells of some states are
// live.
var naive = map[string]func(c uint8, near []uint8, lives func(live func(uint8) bool) bool) uint8{
	"History":      naiveHistory,
	"Super":        naiveSuper,
	"Investigator": naiveInvestigator,
}

func isOdd(s uint8) bool { return s%2 == 1 }

func naiveHistory(c uint8, near []uint8, lives func(func(uint8) bool) bool) uint8 {
	alive := lives(isOdd)
	if slices.Contains(near, 6) && isOdd(c) {
		alive = false
	}
	dead := map[uint8]uint8{0: 0, 1: 2, 2: 2, 3: 4, 4: 4, 5: 4, 6: 6}
	living := map[uint8]uint8{0: 1, 1: 1, 2: 1, 3: 3, 4: 3, 5: 5, 6: 6}
	if alive {
		return living[c]
	}
	return dead[c]
}

func naiveSuper(c uint8, near []uint8, lives func(func(uint8) bool) bool) uint8 {
	dies := []uint8{0, 2, 2, 4, 4, 4, 6, 8, 8, 10, 10, 12, 12, 0, 0, 0, 16, 0, 18, 0, 20, 0, 22, 0, 24, 0}
	if slices.Contains(near, 6) && c != 6 {
		switch {
		case c == 7, c == 8, c >= 13:
			return 0
		case isOdd(c):
			return dies[c]
		}
	}
	if !lives(isOdd) {
		beside := func(states ...uint8) bool {
			return slices.ContainsFunc(near, func(s uint8) bool { return slices.Contains(states, s) })
		}
		living := slices.ContainsFunc(near, isOdd)
		switch {
		case c == 16 && (living || beside(14)):
			return 14
		case c == 18 && beside(22):
			return 22
		case c == 20 && beside(18), c == 24 && (living || beside(14, 18)):
			return 18
		case c == 22 && beside(20):
			return 20
		}
		return dies[c]
	}
	switch {
	case isOdd(c), c == 6:
		return c
	case c == 4:
		return 3
	case c == 8:
		return 7
	}
	var kinds []uint8 // of the parents, each once
	for _, s := range near {
		if s == 5 {
			s = 1
		}
		if isOdd(s) && !slices.Contains(kinds, s) {
			kinds = append(kinds, s)
		}
	}
	slices.Sort(kinds)
	quiet := func(s uint8) bool { return s == 7 || s >= 13 }
	switch {
	case slices.Contains(kinds, 1), len(kinds) == 0:
		return 1
	case len(kinds) == 1 && kinds[0] >= 9:
		return kinds[0]
	case len(kinds) == 2 && kinds[0] == 3 && kinds[1] >= 13:
		return kinds[1]
	case len(kinds) == 2 && kinds[0] == 7 && (kinds[1] == 9 || kinds[1] == 11):
		return kinds[1]
	case !slices.ContainsFunc(kinds, func(s uint8) bool { return !quiet(s) }):
		return 13
	}
	return 1
}

func naiveInvestigator(c uint8, near []uint8, lives func(func(uint8) bool) bool) uint8 {
	beside := func(states ...uint8) bool {
		return slices.ContainsFunc(near, func(s uint8) bool { return slices.Contains(states, s) })
	}
	one := map[bool]uint8{true: 1}
	if c == 1 {
		if beside(2, 3, 6, 7, 14, 16) {
			return 0
		}
		return one[lives(func(s uint8) bool { return slices.Contains([]uint8{1, 2, 4, 6, 8, 10, 12, 15, 16, 18, 20}, s) })]
	}
	if c == 0 {
		switch {
		case !slices.ContainsFunc(near, func(s uint8) bool { return s != 0 }):
			return 0
		case beside(8, 9, 12, 13, 14):
			return 1
		case beside(15, 16) && !beside(1):
			return 0
		}
		return one[lives(func(s uint8) bool { return slices.Contains([]uint8{1, 2, 4, 6, 8, 10, 12, 15, 16, 17, 19}, s) })]
	}
	return []uint8{0, 0, 2, 3, 4, 5, 7, 6, 8, 9, 11, 10, 13, 12, 14, 15, 16, 17, 18, 20, 19}[c]
}

// TestMarksAreThoseDescribed compares every kind with its second implementation, for random rules and blocks.
// The blocks have few states, so that parents of one kind occur.
func TestMarksAreThoseDescribed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, kind := range Kinds {
		seen := map[uint8]int{} // next states other than the state before
		for range 60 {
			hood := [][]int{moore, hexagonal, vonNeumann}[rng.IntN(3)]
			r := counting(hood, rng.IntN(512), rng.IntN(512))
			f := kind.File(r).Function
			for range 500 {
				palette := make([]uint8, 1+rng.IntN(4))
				for i := range palette {
					palette[i] = uint8(rng.IntN(f.States))
				}
				var b local.Around
				for i := range b {
					if rng.IntN(3) > 0 {
						b[i] = palette[rng.IntN(len(palette))]
					}
				}
				b[local.C] = uint8(rng.IntN(f.States))
				var near []uint8
				for _, cell := range hood {
					near = append(near, b[cell])
				}
				want := naive[kind.Suffix](b[local.C], near, func(live func(uint8) bool) bool {
					block := 0
					for i, s := range b {
						if live(s) {
							block |= 1 << (8 - i)
						}
					}
					return r.Lives(block)
				})
				if got := f.Define(&b); got != want {
					t.Fatalf("%s: %v becomes %d, want %d", kind.Suffix, b, got, want)
				}
				if want != b[local.C] {
					seen[want]++
				}
			}
		}
		if least := map[string]int{"History": 4, "Super": 20, "Investigator": 10}[kind.Suffix]; len(seen) < least {
			t.Errorf("%s: cells became only %v", kind.Suffix, seen)
		}
	}
}

// TestSuperByHand has the cases that LifeWiki's page LifeSuper describes.
func TestSuperByHand(t *testing.T) {
	const n, ne, e, s, c = local.N, local.NE, local.E, local.S, local.C
	f := Kinds[1].File(life).Function
	for _, test := range []struct {
		what  string
		block local.Around
		want  uint8
	}{
		{"a traceless spaceship stays traceless", local.Around{n: 13, ne: 13, e: 13}, 13},
		{"and leaves nothing", local.Around{c: 13}, 0},
		{"one parent of state 1 is enough for a plain child", local.Around{n: 13, ne: 13, e: 1}, 1},
		{"kind A has children of kind A", local.Around{n: 9, ne: 9, e: 9}, 9},
		{"which leave a trace of their kind", local.Around{c: 9}, 10},
		{"where new cells are plain", local.Around{c: 10, n: 1, ne: 1, e: 1}, 1},
		{"kinds A and B have plain children", local.Around{n: 9, ne: 9, e: 11}, 1},
		{"kinds C and D have traceless children", local.Around{n: 15, ne: 17, e: 17}, 13},
		{"a mark between cells of one kind keeps it", local.Around{n: 3, ne: 15, e: 15}, 15},
		{"a second mark makes traceless children", local.Around{n: 7, ne: 7, e: 7}, 13},
		{"or children of kind A", local.Around{n: 7, ne: 9, e: 9}, 9},
		{"the second mark stays", local.Around{c: 8, n: 1, ne: 1, e: 1}, 7},
		{"a boundary erases it", local.Around{c: 8, n: 6}, 0},
		{"a fading cell dies", local.Around{c: 14}, 0},
		{"and starts a fuse", local.Around{c: 16, n: 14}, 14},
		{"otherwise a fuse does not change", local.Around{c: 16, n: 16}, 16},
		{"18 falls to 22", local.Around{c: 18, n: 22}, 22},
		{"22 to 20", local.Around{c: 22, s: 20}, 20},
		{"20 to 18", local.Around{c: 20, s: 18}, 18},
		{"18 not to 20", local.Around{c: 18, s: 20}, 18},
		{"live cells prime", local.Around{c: 24, e: 25}, 18},
	} {
		if got := f.Next(&test.block); got != test.want {
			t.Errorf("%s: %v becomes %d, want %d", test.what, test.block, got, test.want)
		}
	}
}

// TestInvestigatorByHand checks examples of what the states do.
func TestInvestigatorByHand(t *testing.T) {
	const n, ne, e, c = local.N, local.NE, local.E, local.C
	f := Kinds[2].File(life).Function
	for _, test := range []struct {
		block local.Around
		want  uint8
	}{
		{local.Around{n: 1, ne: 1, e: 1}, 1},
		{local.Around{n: 4, ne: 4, e: 4}, 1},
		{local.Around{n: 15, ne: 15, e: 15}, 0}, // no live cell of state 1
		{local.Around{n: 15, ne: 1, e: 15}, 1},
		{local.Around{n: 17, ne: 17, e: 17}, 1},
		{local.Around{n: 18, ne: 18, e: 18}, 0},
		{local.Around{c: 1, n: 18, ne: 18}, 1},
		{local.Around{c: 1, n: 17, ne: 17}, 0},
		{local.Around{c: 1, n: 1, ne: 1, e: 3}, 0},
		{local.Around{e: 9}, 1},
		{local.Around{c: 1, e: 14}, 0},
		{local.Around{e: 14}, 1},
		{local.Around{c: 6}, 7},
		{local.Around{c: 7, n: 1, ne: 1, e: 1}, 6},
		{local.Around{c: 4}, 4},
	} {
		if got := f.Next(&test.block); got != test.want {
			t.Errorf("%v becomes %d, want %d", test.block, got, test.want)
		}
	}
}

func TestEveryStateHasANameAndAColour(t *testing.T) {
	for _, kind := range Kinds {
		f := kind.File(life)
		for s := range uint8(f.Function.States) {
			_, coloured := f.Colours[s]
			if f.Names[s] == "" || !coloured {
				t.Errorf("%s: state %d has name %q, colour %v", kind.Suffix, s, f.Names[s], coloured)
			}
		}
	}
}

func TestNeighboursOfRBoundWhatIsLookedAt(t *testing.T) {
	for _, kind := range Kinds {
		f := kind.File(counting(hexagonal, 1<<2, 1<<3|1<<4)).Function
		looks := 0
		for cell := range 9 {
			if f.DependsOn(cell) {
				looks |= 1 << cell
			}
		}
		if bits.OnesCount(uint(looks)) != 7 || looks>>local.NE&1 == 1 {
			t.Errorf("%s of a hexagonal rule looks at %09b", kind.Suffix, looks)
		}
	}
}
