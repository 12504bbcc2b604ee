package synth

import "math/bits"

// basis adds signals to a new builder and returns those that an expansion should split by first. A signal costs
// nothing unless it is used.
type basis func(b *builder) (splits []ref)

// basesFor chooses the bases worth trying for a table, and whether their splits are better shuffled than
// changed a little at a time.
func basesFor(table truth, c classes) (bases []basis, shuffle bool) {
	switch {
	// such as those of elementary rules. Most of these are one table of the row above and one table with the cell
	case table.cells() <= 4:
		return []basis{rawCells, mooreCount}, false
	case !table.reads(0, 2, 6, 8):
		return []basis{vonNeumannCount}, false
	case !table.reads(2, 6):
		return []basis{hexagonalCount([6]int{0, 1, 3, 5, 7, 8}), mooreCount}, false
	case !table.reads(0, 8):
		return []basis{hexagonalCount([6]int{2, 1, 5, 3, 7, 6}), mooreCount}, false
	case c.mixed <= 6: // for most numbers of neighbours, the number alone decides
		return []basis{near(c.most), near(c.any), near(c.all), mooreCount}, false
	case isIsotropic(table):
		return []basis{ring(codes[0]), ring(codes[1])}, true
	default:
		return []basis{rawCells}, true
	}
}

// rawCells splits by the cells, column after column.
func rawCells(b *builder) []ref {
	return []ref{b.cell[4], b.cell[1], b.cell[7], b.cell[0], b.cell[3], b.cell[6], b.cell[2], b.cell[5], b.cell[8]}
}

// mooreCount counts the nine cells: full adders add up the columns, then their sums.
func mooreCount(b *builder) []ref {
	var p, q [3]ref
	for x := range 3 {
		p[x], q[x] = b.column(immXor3, Source(x)), b.column(immMaj3, Source(x))
	}
	return []ref{
		b.cell[4], b.xor3(p[0], p[1], p[2]), b.maj3(p[0], p[1], p[2]), b.xor3(q[0], q[1], q[2]), b.maj3(q[0], q[1], q[2]),
		p[1], q[1], p[0], q[0],
	}
}

// vonNeumannCount counts N, W and E with a full adder. S remains a signal of its own.
func vonNeumannCount(b *builder) []ref {
	n, w, e, s := b.cell[1], b.cell[3], b.cell[5], b.cell[7]
	odd, two := b.xor3(n, w, e), b.maj3(n, w, e)
	return []ref{b.cell[4], b.xor3(odd, s, zero), b.maj3(odd, s, zero), two, odd, s}
}

// hexagonalCount counts six cells with two full adders.
func hexagonalCount(cell [6]int) basis {
	return func(b *builder) []ref {
		c := b.cell
		p0, q0 := b.xor3(c[cell[0]], c[cell[1]], c[cell[2]]), b.maj3(c[cell[0]], c[cell[1]], c[cell[2]])
		p1, q1 := b.xor3(c[cell[3]], c[cell[4]], c[cell[5]]), b.maj3(c[cell[3]], c[cell[4]], c[cell[5]])
		odd := b.xor3(p0, p1, zero)
		return []ref{b.cell[4], odd, b.maj3(p0, q0, q1), q0, q1, p0, p1}
	}
}

// near is the basis of an outer-totalistic rule that differs from the table only for few numbers of neighbours.
func near(rule func() (birth, survival uint16)) basis {
	return func(b *builder) []ref {
		out := b.embed(OuterTotalistic(rule()))
		return append(append([]ref{out}, mooreCount(b)...), b.cell[:]...)
	}
}

// embed adds a network's tables and returns its output.
func (b *builder) embed(n Network) ref {
	gates := make([]ref, len(n.Gates))
	value := func(o Operand) ref {
		if o.Source == Inner {
			return gates[o.Index]
		}
		return b.column(n.Columns[o.Index], o.Source)
	}
	for i, g := range n.Gates {
		gates[i] = b.lut(g.Imm, value(g.A), value(g.B), value(g.C))
	}
	return gates[len(gates)-1]
}

// classes counts the blocks of a table by the cell's state and the number of live neighbours, and for each
// class those that give 1.
type classes struct {
	blocks, live [18]int // index neighbours + 9·state
	mixed        int     // classes that give both
}

// classify counts, for each number of neighbours and state of the middle cell, in how many of its
// blocks the next state is live. The rule is outer-totalistic if all or none are.
func classify(table truth) (c classes) {
	for block := range 512 {
		class := bits.OnesCount(uint(block&^16)) + 9*(block>>4&1)
		c.blocks[class]++
		if table.at(block) {
			c.live[class]++
		}
	}
	for i, live := range c.live {
		if live != 0 && live != c.blocks[i] {
			c.mixed++
		}
	}
	return c
}

// rule is an outer-totalistic rule near the table: alive decides for a class whose blocks disagree.
func (c classes) rule(alive func(live, blocks int) bool) (birth, survival uint16) {
	for i, live := range c.live {
		if alive(live, c.blocks[i]) {
			if i < 9 {
				birth |= 1 << i
			} else {
				survival |= 1 << (i - 9)
			}
		}
	}
	return birth, survival
}

// most returns the outer-totalistic rule whose value for a class is that of most of its blocks. The rule of any
// is 1 where any block of a class gives 1, the rule of all where all blocks do.
func (c classes) most() (birth, survival uint16) {
	return c.rule(func(live, blocks int) bool { return 2*live > blocks })
}

func (c classes) any() (birth, survival uint16) {
	return c.rule(func(live, _ int) bool { return live > 0 })
}

func (c classes) all() (birth, survival uint16) {
	return c.rule(func(live, blocks int) bool { return live == blocks })
}

// isIsotropic reports whether a table is the same after a quarter turn and after a reflection.
func isIsotropic(table truth) bool {
	for block := range 512 {
		turned, mirrored := 0, 0
		for i := range 9 {
			bit := block >> (8 - i) & 1
			turned |= bit << (8 - (i%3*3 + 2 - i/3))
			mirrored |= bit << (8 - (i/3*3 + 2 - i%3))
		}
		if table.at(block) != table.at(turned) || table.at(block) != table.at(mirrored) {
			return false
		}
	}
	return true
}
