package model

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
)

// arriving is a block whose middle is in a state and gets particles of the given directions from its
// neighbours, which have more particles besides.
func arriving(middle, moving uint8, more func(i int) uint8) local.Around {
	b := local.Around{local.C: middle}
	for i, d := range directions {
		b[local.C-3*d[1]-d[0]] = more(i)&^(1<<i) | moving&(1<<i)
	}
	return b
}

func momentum(moving uint8) (x, y int) {
	for i, d := range directions {
		if moving>>i&1 == 1 {
			x, y = x+d[0], y+d[1]
		}
	}
	return x, y
}

// All collisions of lattice gases conserve the number of particles. Without walls they also conserve momentum. As
// many configurations collide as in the literature: 5 of 64 for FHP-I, 22 of 128 for FHP-II (Wolf-Gladrow,
// Lattice-Gas Cellular Automata and Lattice Boltzmann Models, 2000, table 3.2).
func TestCollisionsConserve(t *testing.T) {
	for _, c := range []struct {
		rest     bool
		wall     uint8
		collides int
	}{{false, 1 << 6, 5}, {true, 1 << 7, 22}} {
		f, err := latticeGas(c.rest)
		if err != nil {
			t.Fatal(err)
		}
		collisions := 0
		for moving := range uint8(64) {
			for _, still := range []uint8{0, 1 << 6}[:1+len(f.Outcomes)/6] {
				b := arriving(still, moving, func(i int) uint8 { return uint8(i*37+int(moving)) & 0x3F })
				o := f.Outcome(f.Next(&b))
				if len(o) > 1 || o[0].State != moving|still {
					collisions++
				}
				if len(o) == 2 && o[0].Below != uint64(chance.Certain)/2 || len(o) > 2 {
					t.Errorf("particles %07b collide to %v: want two ways, equally likely", moving|still, o)
				}
				x, y := momentum(moving)
				for _, share := range o {
					if gx, gy := momentum(share.State); gx != x || gy != y ||
						bits.OnesCount8(share.State) != bits.OnesCount8(moving|still) || share.State&c.wall != 0 {
						t.Errorf("particles %07b become %07b", moving|still, share.State)
					}
				}
			}
			b := arriving(c.wall, moving, func(int) uint8 { return 0 })
			o := f.Outcome(f.Next(&b))
			x, y := momentum(moving)
			if gx, gy := momentum(o[0].State); len(o) != 1 || gx != -x || gy != -y || o[0].State&^0x3F != c.wall ||
				bits.OnesCount8(o[0].State&0x3F) != bits.OnesCount8(moving) {
				t.Errorf("a wall turns %06b into %v", moving, o)
			}
		}
		if collisions != c.collides {
			t.Errorf("FHP with rest %v: %d configurations collide, want %d", c.rest, collisions, c.collides)
		}
	}
}

// A sandpile is its definition: cells of four grains or more topple, and a grain falls with its probability.
func TestSandpileFollowsItsDefinition(t *testing.T) {
	for _, p := range []chance.Probability{0, 1000, chance.Certain} {
		f, err := plane.sandpile(p)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 8 * 8 * 8 * 8 * 8 {
			b := local.Around{local.NW: 7, local.NE: 7, local.SW: 7, local.SE: 7}
			want := 0
			for i, cell := range []int{local.C, local.N, local.W, local.E, local.S} {
				h := n >> (3 * i) & 7
				b[cell] = uint8(h)
				switch {
				case i == 0 && h >= 4:
					want += h - 4
				case i == 0:
					want += h
				case h >= 4:
					want++
				}
			}
			o := f.Outcome(f.Next(&b))
			grain := min(want+1, 7)
			with, without := o[0], o[len(o)-1]
			switch {
			case p == 0 || want == 7:
				grain = want
				fallthrough
			case p == chance.Certain:
				if len(o) != 1 || int(with.State) != grain {
					t.Fatalf("block %v: %v, want %d", b, o, grain)
				}
			default:
				if len(o) != 2 || with.Below != uint64(p) || int(with.State) != grain || int(without.State) != want {
					t.Fatalf("block %v: %v, want %d, or %d with a grain", b, o, want, grain)
				}
			}
		}
	}
}

// A sandpile of three dimensions is its definition, for all heights of a cell and some of its neighbours.
func TestSandpileOfVolumeFollowsItsDefinition(t *testing.T) {
	for _, p := range []chance.Probability{0, 1000, chance.Certain} {
		f, err := volume.sandpile(p)
		if err != nil {
			t.Fatal(err)
		}
		w := f.Wide()
		if len(w.Near) != 6 || w.Radius() != 1 {
			t.Fatalf("neighbours %v", w.Near)
		}
		for n := range 12 * 12 * 12 * 12 {
			heights := [7]int{n % 12, n / 12 % 12, n / 144 % 12, n / 1728, (n + 5) % 12, n * 7 % 12, n * 11 / 7 % 12}
			want := heights[0]
			if want >= 6 {
				want -= 6
			}
			for _, h := range heights[1:] {
				if h >= 6 {
					want++
				}
			}
			next := f.Outcome(w.Define(uint8(heights[0]), func(at local.Place) uint8 {
				return uint8(heights[1+slices.Index(w.Near, at)])
			}))
			shares := local.Outcome{
				{Below: uint64(p), State: uint8(want + 1)},
				{Below: uint64(chance.Certain), State: uint8(want)},
			}
			if p == 0 || want == 11 {
				shares = shares[1:]
			} else if p == chance.Certain {
				shares = shares[:1]
			}
			if !slices.Equal(next, shares) {
				t.Fatalf("heights %v, p %v: %v, want %v", heights, p, next, shares)
			}
		}
	}
}

// A contact process over bonds agrees with its definition for all states of the block: particles die, appear over
// open bonds, and bonds do not change.
func TestContactOverBondsFollowsItsDefinition(t *testing.T) {
	const die = chance.Probability(1 << 30)
	for _, infect := range []float64{0, 0.125, 0.5} {
		f, err := bondContact(infect, die)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 8 * 8 * 8 * 8 * 8 {
			b := local.Around{local.NW: 7, local.NE: 7, local.SW: 7, local.SE: 7}
			for i, cell := range []int{local.C, local.N, local.W, local.E, local.S} {
				b[cell] = uint8(n >> (3 * i) & 7)
			}
			middle, reached := b[local.C], 0.0
			for _, from := range []struct {
				cell int
				open bool
			}{
				{local.E, middle&2 != 0}, {local.S, middle&4 != 0}, {local.W, b[local.W]&2 != 0}, {local.N, b[local.N]&4 != 0},
			} {
				if from.open && b[from.cell]&1 == 1 {
					reached++
				}
			}
			changes := uint64(chance.Of(min(1, reached*infect)))
			if middle&1 == 1 {
				changes = uint64(die)
			}
			got := uint64(0)
			below := uint64(0)
			for _, share := range f.Outcome(f.Next(&b)) {
				if share.State == middle^1 {
					got += share.Below - below
				} else if share.State != middle {
					t.Fatalf("block %v becomes %d: its bonds changed", b, share.State)
				}
				below = share.Below
			}
			if got != changes {
				t.Fatalf("block %v changes with %d/2^32, want %d", b, got, changes)
			}
		}
	}
}
