package tail

// Entry is a hint from which Gates rebuilds a tail of at most four gates. It has the base and the first two gates:
//
//	((base · 1280) + first) · 2560 + second,  first = triple·128 + imm/2 over 5 signals, second the same over 6
//
// A short search finds the last two gates. Immediates are even, because a gate that reads a complement includes it.
type Entry uint32

// None marks an orbit without a known tail of four gates.
const None = ^Entry(0)

const (
	firsts  = 10 * 128
	seconds = 20 * 128
)

// NewEntry packs a hint; first and second are numbers below 1280 and 2560 as Choice has them.
func NewEntry(base, first, second int) Entry {
	return Entry((base*firsts+first)*seconds + second)
}

// Choice returns the gate numbered n among those over the signals there are.
func Choice(n int) Gate {
	t := allTriples[n/128]
	return Gate{uint8(n%128) * 2, t[0], t[1], t[2]}
}

// allTriples serves up to eight signals.
var allTriples = Triples(8)

func choose3(n int) int { return n * (n - 1) * (n - 2) / 6 }

// Gates returns the base and the gates of a tail for f: at most four if the entry is a hint, about five if it is None.
func (e Entry) Gates(f Function) (Base, []Gate, bool) {
	if e == None {
		return split(f)
	}
	base := Bases[int(e/seconds/firsts)%len(Bases)]
	signals := base.Signals()
	var gates []Gate
	for _, n := range []int{int(e / seconds % firsts), int(e % seconds)} {
		if last, ok := Last(f, All, signals); ok {
			return base, append(gates, last), true
		}
		g := Choice(n)
		gates = append(gates, g)
		signals = append(signals, Lookup(g.Imm, signals[g.A], signals[g.B], signals[g.C]))
	}
	if last, ok := Last(f, All, signals); ok {
		return base, append(gates, last), true
	}
	two, ok := lastTwo(f, All, signals)
	return base, append(gates, two[:]...), ok
}

// split looks for a tail of five gates: two for the points where one of the signals is 0, two for the other
// points, and a choice.
func split(f Function) (Base, []Gate, bool) {
	for _, base := range Bases {
		for x := range 5 {
			for _, first := range []Function{0, All} { // the half that is made first; the other may read its gates
				signals := base.Signals()
				half := signals[x] ^ All ^ first
				one, ok := lastTwo(f, half, signals)
				if !ok {
					continue
				}
				for _, g := range one {
					signals = append(signals, Lookup(g.Imm, signals[g.A], signals[g.B], signals[g.C]))
				}
				other, ok := lastTwo(f, half^All, signals)
				if !ok {
					continue
				}
				choice := Gate{mux, x, 8, 6}
				if first == All {
					choice = Gate{mux, x, 6, 8}
				}
				return base, []Gate{one[0], one[1], other[0], other[1], choice}, true
			}
		}
	}
	return Base{}, nil, false
}

const mux = 0xCA // a ? b : c

// Reversed returns the hint for e's rule with live and dead exchanged in the cells that it reads.
func (e Entry) Reversed() Entry {
	base := int(e / seconds / firsts)
	var flips []bool // by signal: whether the exchange complements it; it does not complement the inner bit of a sum
	for _, t := range []uint8{Bases[base].P[0], Bases[base].P[1], Bases[base].Q[0], Bases[base].Q[1]} {
		flips = append(flips, t != inner)
	}
	flips = append(flips, true)
	reverse := func(n int) int {
		t := allTriples[n/128]
		mask := 0
		for i, signal := range t {
			if flips[signal] {
				mask |= 4 >> i
			}
		}
		var imm uint8
		for index := range 8 {
			imm |= uint8(n%128*2) >> (index ^ mask) & 1 << index
		}
		flips = append(flips, imm&1 == 1)
		if imm&1 == 1 {
			imm = ^imm
		}
		return n/128*128 + int(imm/2)
	}
	first := reverse(int(e / seconds % firsts))
	return NewEntry(base, first, reverse(int(e%seconds)))
}
