package synth

// ref names a signal of a builder. Its lowest bit is set for the signal's complement.
type ref int32

func (r ref) not() ref { return r ^ 1 }

const (
	zero ref = 0 // the constants
	one  ref = 1
)

// signal is a function that the builder knows how to compute. Its value for the empty block is 0. Only refs can
// be complemented; the lookup table that reads such a ref includes the complement.
type signal struct {
	imm      uint8
	source   Source // Left, Centre, Right: a column value with table imm. Inner: a gate
	operands [3]ref // of a gate; never complemented
}

// builder collects lookup tables, one for each distinct function.
type builder struct {
	signals []signal
	values  []truth // of the signals
	known   map[truth]int32
	cell    [9]ref
}

func newBuilder() *builder {
	b := &builder{known: make(map[truth]int32, 64)}
	b.add(truth{}, signal{source: Inner}) // the constant
	for i := range b.cell {
		b.cell[i] = b.column([3]uint8{Up, Middle, Down}[i/3], Source(i%3))
	}
	return b
}

// add adds a signal and remembers its truth table, so that the same function is not made twice.
func (b *builder) add(value truth, s signal) ref {
	index := int32(len(b.signals))
	b.signals = append(b.signals, s)
	b.values = append(b.values, value)
	b.known[value] = index
	return ref(index << 1)
}

// find returns the signal that has the value t or its complement.
func (b *builder) find(t truth) (ref, bool) {
	inverted := ref(t[0] & 1)
	if inverted == 1 {
		t = t.not()
	}
	index, ok := b.known[t]
	return ref(index<<1) | inverted, ok
}

// column returns the value imm of the column at x.
func (b *builder) column(imm uint8, x Source) ref {
	inverted := ref(imm & 1)
	if inverted == 1 {
		imm = ^imm
	}
	t := lookup(imm, cells[x], cells[x+3], cells[x+6])
	if r, ok := b.find(t); ok {
		return r | inverted
	}
	return b.add(t, signal{imm: imm, source: x}) | inverted
}

// lut returns the value of the lookup table imm. It adds a signal only if no known signal has that value.
func (b *builder) lut(imm uint8, x, y, z ref) ref {
	// The table is brought into one form: no complemented operands, no operands that do not matter, and the value 0 for
	// the empty block. Equal functions then have equal signals.
	operands := [3]ref{x, y, z}
	for i, r := range operands {
		if r&1 == 1 {
			imm = flipOperand(imm, i)
			operands[i] = r.not()
		}
	}
	reads := -1 // an operand that matters; it replaces those that do not, so that they keep no signal alive
	for i, r := range operands {
		if r == zero {
			imm = ignoreOperand(imm, i)
		}
	}
	for i := range operands {
		if flipOperand(imm, i) != imm {
			reads = i
		}
	}
	if reads < 0 {
		return ref(imm & 1)
	}
	for i := range operands {
		if flipOperand(imm, i) == imm {
			operands[i] = operands[reads]
		}
	}
	s0, s1, s2 := &b.signals[operands[0]>>1], &b.signals[operands[1]>>1], &b.signals[operands[2]>>1]
	t := lookup(imm, b.values[operands[0]>>1], b.values[operands[1]>>1], b.values[operands[2]>>1])
	if r, ok := b.find(t); ok {
		return r
	}
	if s0.source != Inner && s0.source == s1.source && s0.source == s2.source {
		// All three operands are values of the same column, so the result is one as well. For the three cells of the
		// column that are the digits of k, the operands have bits k of their tables, and these are the index into imm.
		var composed uint8
		for k := range 8 {
			index := s0.imm>>k&1<<2 | s1.imm>>k&1<<1 | s2.imm>>k&1
			composed |= imm >> index & 1 << k
		}
		return b.column(composed, s0.source)
	}
	inverted := ref(t[0] & 1)
	if inverted == 1 {
		imm, t = ^imm, t.not()
	}
	return b.add(t, signal{imm: imm, source: Inner, operands: operands}) | inverted
}

// flipOperand returns the table with operand i complemented (0 is a, 2 is c). This exchanges groups of bits:
//
//	table         h g f e d c b a
//	operand 0     d c b a h g f e
//	operand 1     f e h g b a d c
//	operand 2     g h e f c d a b
func flipOperand(imm uint8, i int) uint8 {
	switch i {
	case 0:
		return imm<<4 | imm>>4
	case 1:
		return imm&0x33<<2 | imm>>2&0x33
	default:
		return imm&0x55<<1 | imm>>1&0x55
	}
}

// ignoreOperand returns the table with operand i fixed to 0.
func ignoreOperand(imm uint8, i int) uint8 {
	low := imm & [3]uint8{0x0F, 0x33, 0x55}[i]
	return low | low<<(4>>i)
}

// Immediates of common gates.
const (
	immXor3 uint8 = 0x96
	immMaj3 uint8 = 0xE8
	immMux  uint8 = 0xCA // a ? b : c
)

func (b *builder) xor3(x, y, z ref) ref { return b.lut(immXor3, x, y, z) }
func (b *builder) maj3(x, y, z ref) ref { return b.lut(immMaj3, x, y, z) }

// mux returns choice ? high : low.
func (b *builder) mux(choice, high, low ref) ref { return b.lut(immMux, choice, high, low) }

// network returns the network of out, without signals that out does not depend on.
func (b *builder) network(out ref) Network {
	root := b.signals[out>>1]
	var n Network
	columns := map[uint8]int{}
	column := func(imm uint8) int {
		i, ok := columns[imm]
		if !ok {
			i = len(n.Columns)
			columns[imm] = i
			n.Columns = append(n.Columns, imm)
		}
		return i
	}
	if out>>1 == 0 || root.source != Inner { // a constant or a function of one column: one gate over the raw cells
		if out>>1 == 0 {
			root.source = Centre
		}
		g := Gate{Imm: root.imm ^ -uint8(out&1)}
		g.A = Operand{root.source, column(Up)}
		g.B = Operand{root.source, column(Middle)}
		g.C = Operand{root.source, column(Down)}
		n.Gates = []Gate{g}
		return n
	}
	needed := make([]bool, out>>1+1)
	needed[out>>1] = true
	for i := int(out >> 1); i > 0; i-- {
		if s := &b.signals[i]; needed[i] && s.source == Inner {
			for _, o := range s.operands {
				needed[o>>1] = true
			}
		}
	}
	place := make([]Operand, out>>1+1)
	for i, use := range needed {
		if !use || i == 0 {
			continue
		}
		s := &b.signals[i]
		if s.source != Inner {
			place[i] = Operand{s.source, column(s.imm)}
			continue
		}
		place[i] = Operand{Inner, len(n.Gates)}
		n.Gates = append(n.Gates, Gate{s.imm, place[s.operands[0]>>1], place[s.operands[1]>>1], place[s.operands[2]>>1]})
	}
	n.Gates[len(n.Gates)-1].Imm ^= -uint8(out & 1) // no other gate reads the root
	return n
}
