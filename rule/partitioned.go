package rule

import (
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// partitionedPrefix heads a rule of a partitioned automaton with four parts to a cell and two states to a part.
const partitionedPrefix = "2PCA4"

// parts are the neighbours of a cell in the order of the bits of its state. Bit k is the part on the side of
// neighbour k. Neighbour k+2 lies opposite.
var parts = [...]int{local.S, local.W, local.N, local.E}

// facing returns the bit of neighbour k's part that faces the cell.
func facing(k int) int { return (k + len(parts)/2) % len(parts) }

// partitioned is a rule of a partitioned automaton. Four parts of the neighbours face a cell, one on each side. The
// table has the next state of the cell for each state of these parts, bit k for the part on side k. The cell's own
// state does not count. A part can be imagined as a particle: it crosses its side, and then the table says on which
// sides the particles of the new cell leave.
//
// The idea is by K. Morita and S. Ueno, "Computation-universal models of two-dimensional 16-state reversible cellular
// automata", IEICE Transactions E75-D (1992) 141-147. The notation is that of LifeViewer (Chris Rowett): the order of
// the numbers and bits follows createPCAIndex and nextGenerationPCATile in its life.js. It agrees with Brian Prentice's
// tree of the rule PCA_4 (conwaylife.com forums, topic 4098, 2019).
type partitioned [1 << len(parts)]uint8

// isPartitioned reports whether a text begins like 2PCA4,0,4,8,….
func isPartitioned(text string) bool {
	return len(text) >= len(partitionedPrefix) && strings.EqualFold(text[:len(partitionedPrefix)], partitionedPrefix)
}

// partitioned reads 2PCA4 and the next states of 0 to 15.
func (s *scanner) partitioned() (Rule, error) {
	s.pos += len(partitionedPrefix)
	var p partitioned
	for i := range p {
		if !s.accept(',') {
			return Rule{}, s.fail(s.pos, "16 numbers follow %s, each after a comma: number %d is missing", partitionedPrefix, i+1)
		}
		n, err := s.numberIn("next state", 0, len(p)-1)
		if err != nil {
			return Rule{}, err
		}
		p[i] = uint8(n)
	}
	if !s.done() {
		return Rule{}, s.fail(s.pos, "unexpected text after the 16 numbers of %s", partitionedPrefix)
	}
	return shared(p.file()), nil
}

// String returns the notation.
func (p partitioned) String() string {
	var b strings.Builder
	b.WriteString(partitionedPrefix)
	for _, next := range p {
		b.WriteString("," + strconv.Itoa(int(next)))
	}
	return b.String()
}

// file returns the rule as a function of the four neighbours.
func (p partitioned) file() *rulefile.File {
	part := map[int]int{} // by neighbour: the bit that faces the cell
	for k, cell := range parts {
		part[cell] = facing(k)
	}
	f, err := local.Code(len(p), parts[:], func(cell int, state uint8) int {
		return int(state >> part[cell] & 1)
	}, func(b *local.Around) uint8 {
		in := 0
		for k, cell := range parts {
			in |= int(b[cell]>>facing(k)&1) << k
		}
		return p[in]
	}, nil)
	if err != nil {
		panic("rule: " + err.Error()) // four cells of two classes have a small diagram
	}
	return &rulefile.File{
		Name: p.String(), Kind: "partitioned automaton", Neighbourhood: neighbourhood.Set{Letter: 'N', Radius: 1},
		Function: f, Names: partNames(),
	}
}

// partNames has the parts of each state in words.
func partNames() map[uint8]string {
	all := map[uint8]string{0: "empty"}
	for state := uint8(1); state < 1<<len(parts); state++ {
		var sides []string
		for k, side := range [...]string{"below", "left", "above", "right"} {
			if state>>k&1 == 1 {
				sides = append(sides, side)
			}
		}
		all[state] = strings.Join(sides, ", ")
	}
	return all
}
