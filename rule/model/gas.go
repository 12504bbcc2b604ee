package model

import (
	"math/bits"

	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
)

// Directions of the particles of a lattice gas on the hexagonal neighbourhood, each 60° from the one before: E,
// SE, S, W, NW, N. Bit i of a state is a particle that moves in direction i.
var directions = [6][2]int{{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}}

// latticeGas is FHP-I, or with particles at rest FHP-II. A bit above those of the particles marks walls.
func latticeGas(rest bool) (*local.Function, error) {
	wall, states := uint8(1<<6), 1<<7
	if rest {
		wall, states = 1<<7, 1<<7|1<<6 // no particle is at rest in a wall
	}
	a := &local.Asking{}
	for i, d := range directions {
		var moving []uint8
		for s := range states {
			if s>>i&1 == 1 {
				moving = append(moving, uint8(s))
			}
		}
		a.Questions = append(a.Questions, local.Some([]int{local.C - 3*d[1] - d[0]}, moving...)) // from where it comes
	}
	result := map[[2]uint8]uint8{} // by the states that are equally likely
	either := func(x, y uint8) uint8 {
		n, ok := result[[2]uint8{x, y}]
		if !ok {
			n = uint8(states + len(a.Outcomes))
			result[[2]uint8{x, y}] = n
			a.Outcomes = append(a.Outcomes, local.Outcome{
				{Below: uint64(chance.Certain / 2), State: x},
				{Below: uint64(chance.Certain), State: y},
			})
		}
		return n
	}
	for axis := range 3 { // all outcomes, so that Next only reads the map
		pair := uint8(0b1001 << axis)
		either(turned(pair, 1), turned(pair, 5))
		if rest {
			either(turned(pair, 1)|1<<6, turned(pair, 5)|1<<6)
		}
	}
	a.Next = func(state uint8, yes func(int) bool) uint8 {
		moving := uint8(0)
		for i := range directions {
			if yes(i) {
				moving |= 1 << i
			}
		}
		if state&wall != 0 {
			return turned(moving, 3) | wall
		}
		still := state &^ 0x3F
		switch {
		case moving == 0b010101, moving == 0b101010: // three that meet at 120°
			return turned(moving, 1) | still
		case moving == turned(moving, 3) && bits.OnesCount8(moving) == 2: // two that meet head-on
			return either(turned(moving, 1)|still, turned(moving, 5)|still)
		case rest && still != 0 && bits.OnesCount8(moving) == 1: // a moving particle meets one at rest
			return turned(moving, 1) | turned(moving, 5)
		case rest && still == 0 && bits.OnesCount8(moving) == 2 && moving&turned(moving, 2) != 0: // two that meet at 120°
			return turned(moving&turned(moving, 2), 5) | 1<<6
		}
		return moving | still
	}
	return a.Function(states)
}

// turned moves the six bits of directions on by some.
func turned(moving uint8, by int) uint8 { return (moving<<by | moving>>(6-by)) & 0x3F }

// gasColours shows how many particles a cell has, and walls.
func gasColours(states int, wall uint8) map[uint8][3]uint8 {
	colours := map[uint8][3]uint8{}
	for s := 1; s < states; s++ {
		if uint8(s)&wall != 0 {
			colours[uint8(s)] = [3]uint8{200, 60, 40}
			continue
		}
		light := uint8(35 + 30*bits.OnesCount(uint(s)))
		colours[uint8(s)] = [3]uint8{light / 3, light * 2 / 3, light}
	}
	return colours
}
