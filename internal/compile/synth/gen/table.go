package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/gosper-life/gosper/internal/compile/synth/internal/tail"
)

// tableSearch finds tails of up to four gates for as many orbits as it can.
type tableSearch struct {
	cost    [1 << 18]uint8 // of the best tail known, by rule
	entries [tail.Orbits]tail.Entry
	missing int // orbits without a tail
	repeats [1 << 12]uint32
}

const noTail = 9

// choice is a possible first or second gate, with the function that it computes.
type choice struct {
	number int
	value  tail.Function
}

func newTableSearch() *tableSearch {
	s := &tableSearch{missing: tail.Orbits}
	for i := range s.cost {
		s.cost[i] = noTail
	}
	for i := range s.entries {
		s.entries[i] = tail.None
	}
	for class := range 18 { // the repeated points as the classes they belong to
		f := uint32(tail.Rule(1<<class).Function()) >> 18
		for m := range s.repeats {
			if uint32(m)&f != 0 {
				s.repeats[m] |= 1 << class
			}
		}
	}
	return s
}

// systematic tries, for every base, all tails of up to three gates, and all tails of four whose first three
// gates read only the base.
func (s *tableSearch) systematic(log io.Writer) {
	for number, base := range tail.Bases {
		in := base.Signals()
		for _, t := range tail.Triples(5) {
			s.mark(1, in[t[0]], in[t[1]], in[t[2]], tail.NewEntry(number, 0, 0))
		}
		firsts := distinct(in, nil)
		for i, g := range firsts {
			first := tail.NewEntry(number, g.number, 0)
			six := append(in[:5:5], g.value)
			for a := range 5 {
				for b := range a {
					s.mark(2, g.value, in[a], in[b], first)
				}
			}
			for _, h := range distinct(six, nil) {
				second := tail.NewEntry(number, g.number, h.number)
				for a := range 5 {
					s.mark(3, h.value, g.value, in[a], second)
					for b := range a {
						s.mark(3, h.value, in[a], in[b], second)
					}
				}
			}
			for j, h := range firsts[:i] {
				second := tail.NewEntry(number, g.number, h.number)
				for _, k := range firsts[:j] {
					s.mark(4, g.value, h.value, k.value, second)
				}
			}
		}
		fmt.Fprintf(log, "base %d: %d orbits left\n", number, s.missing)
	}
}

// random tries random tails of four gates until the time limit.
func (s *tableSearch) random(limit time.Duration, log io.Writer) {
	rng := rand.New(rand.NewPCG(1, 1))
	gate := func(signals []tail.Function) choice {
		n := rng.IntN(len(tail.Triples(len(signals))) * 128)
		return choice{n, value(n, signals)}
	}
	end, report := time.Now().Add(limit), time.Now()
	for time.Now().Before(end) && s.missing > 0 {
		if time.Since(report) > 20*time.Second {
			report = time.Now()
			fmt.Fprintf(log, "random: %d orbits left\n", s.missing)
		}
		base := rng.IntN(len(tail.Bases))
		signals := tail.Bases[base].Signals()
		g := gate(signals)
		signals = append(signals, g.value)
		h := gate(signals)
		signals = append(signals, h.value)
		entry := tail.NewEntry(base, g.number, h.number)
		for range 100 {
			k := gate(signals)
			for a := range signals {
				for b := range a {
					s.mark(4, k.value, signals[a], signals[b], entry)
				}
			}
		}
	}
}

// value is the function of a gate, by its number. The signals are those that gates may read.
func value(number int, signals []tail.Function) tail.Function {
	g := tail.Choice(number)
	return tail.Lookup(g.Imm, signals[g.A], signals[g.B], signals[g.C])
}

// distinct appends to list one gate for each function of three signals that is not itself a signal. A function
// and its complement count as one.
func distinct(signals []tail.Function, list []choice) []choice {
	seen := map[tail.Function]bool{0: true}
	normal := func(f tail.Function) tail.Function {
		if f&1 == 1 {
			return f ^ tail.All
		}
		return f
	}
	for _, f := range signals {
		seen[normal(f)] = true
	}
	for number := range len(tail.Triples(len(signals))) * 128 {
		f := value(number, signals)
		if !seen[normal(f)] {
			seen[normal(f)] = true
			list = append(list, choice{number, f})
		}
	}
	return list
}

// mark records the entry for every rule that is a function of x, y and z and has no tail of k gates yet. The
// three divide the points into eight parts. Parts that share a class form a group, and each rule that is
// constant on every group is such a function.
func (s *tableSearch) mark(k uint8, x, y, z tail.Function, entry tail.Entry) {
	var groups [8]uint32
	n := 0
	nx, ny, nz := x^tail.All, y^tail.All, z^tail.All
	for _, part := range [8]tail.Function{
		x & y & z, x & y & nz, x & ny & z, x & ny & nz, nx & y & z, nx & y & nz, nx & ny & z, nx & ny & nz,
	} {
		if part == 0 {
			continue
		}
		group := uint32(part)&(1<<18-1) | s.repeats[part>>18]
		kept := 0
		for _, other := range groups[:n] {
			if other&group != 0 {
				group |= other
			} else {
				groups[kept] = other
				kept++
			}
		}
		groups[kept] = group
		n = kept + 1
	}
	rule := uint32(0)
	for i := uint(1); ; i++ { // all unions of the groups but the last, in the order of the Gray code
		if s.cost[rule] > k {
			s.record(tail.Rule(rule), k, entry)
		}
		flip := bits.TrailingZeros(i)
		if flip >= n-1 {
			return
		}
		rule ^= groups[flip]
	}
}

// record notes a shortest tail of a rule. It is also one of the rules of its orbit: those with states exchanged before
// or after.
func (s *tableSearch) record(r tail.Rule, k uint8, entry tail.Entry) {
	if s.cost[r] == noTail {
		s.missing--
	}
	number, _, cells := r.Orbit()
	s.entries[number] = entry
	if cells {
		s.entries[number] = entry.Reversed()
	}
	reversed := tail.Rule(bits.Reverse32(uint32(r)) >> 14)
	for _, member := range []tail.Rule{r, r ^ (1<<18 - 1), reversed, reversed ^ (1<<18 - 1)} {
		s.cost[member] = k
	}
}

// bytes returns the entries of all orbits, four bytes each, little endian.
func (s *tableSearch) bytes() []byte {
	out := make([]byte, 0, 4*len(s.entries))
	for _, e := range s.entries {
		out = binary.LittleEndian.AppendUint32(out, uint32(e))
	}
	return out
}
