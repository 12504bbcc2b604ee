package codegen

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/compile/rowprog/rowprogtest"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/emitter"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// setXORPairs sets for the rest of a test how processors with AVX-512 add three bits.
func setXORPairs(t *testing.T, pairs bool) {
	old := emitter.XORPairs
	emitter.XORPairs = func() bool { return pairs }
	t.Cleanup(func() { emitter.XORPairs = old })
}

// native are the codes for which this processor runs machine code.
func native() []Code {
	return slices.DeleteFunc(slices.Clone(Codes), func(c Code) bool { return c == Portable || c.Available() != nil })
}

// one runs a program for one vector of random words, and returns the words that come out. in is those of each plane.
func one(t *testing.T, c Code, p *rowprog.Program, shifts map[int]int) (in [][]uint64, out []uint64) {
	t.Helper()
	l := layout.Layout{Lanes: c.Lanes(), Vectors: 1, Stride: c.Lanes()}
	m, err := NewMachine(c, p, &l, nil, shifts)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range p.Planes {
		row := layout.AlignedWords(l.Stride)
		for k := range row {
			row[k] = random.Uint64()
		}
		in = append(in, row)
	}
	out = layout.AlignedWords(l.Stride)
	m.Run(append(slices.Clone(in), out), nil, 0, 1, true)
	return in, out
}

// TestEveryTable runs every lookup table of one, two and three inputs.
func TestEveryTable(t *testing.T) {
	for _, c := range native() {
		for imm := range 256 {
			for n := 1; n <= 3; n++ {
				if inputs(uint8(imm)) > n {
					continue // it depends on inputs that it does not have
				}
				in, out := one(t, c, rowprogtest.Loads(n, rowprogtest.Table(uint8(imm), []int{0, 1, 2}[:n]...)), nil)
				for bit := range 64 {
					index := 0
					for k := range n {
						index |= int(in[k][0]>>bit&1) << (2 - k)
					}
					if want := uint64(imm >> index & 1); out[0]>>bit&1 != want {
						t.Fatalf("%s: table %02x of %d inputs gives %d for %03b", c, imm, n, 1-want, index)
					}
				}
			}
		}
	}
}

// TestEveryTableAmongOthers runs every lookup table with its inputs in every order, where other tables need the
// inputs too, so that none may be overwritten.
func TestEveryTableAmongOthers(t *testing.T) {
	for _, c := range native() {
		for _, order := range [][3]int{
			{0, 1, 2},
			{0, 2, 1},
			{1, 0, 2},
			{1, 2, 0},
			{2, 0, 1},
			{2, 1, 0},
			{0, 0, 1},
			{1, 0, 1},
			{2, 2, 2},
		} {
			p := rowprogtest.Loads(3)
			p.Out = nil
			for imm := range 256 {
				p.Out = append(p.Out, rowprog.Operand{Value: len(p.Ops)})
				p.Ops = append(p.Ops, rowprogtest.Table(uint8(imm), order[:]...))
			}
			l := layout.Layout{Lanes: c.Lanes(), Vectors: 1, Stride: c.Lanes()}
			m, err := NewMachine(c, p, &l, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(3, 4))
			rows := make([][]uint64, 3+256)
			for k := range rows {
				rows[k] = layout.AlignedWords(l.Stride)
				for i := range rows[k] {
					rows[k][i] = random.Uint64()
				}
			}
			m.Run(rows, nil, 0, 1, true)
			for imm, out := range rows[3:] {
				for i, word := range out {
					for bit := range 64 {
						index := 0
						for k, from := range order {
							index |= int(rows[from][i]>>bit&1) << (2 - k)
						}
						if want := uint64(imm >> index & 1); word>>bit&1 != want {
							t.Fatalf("%s: table %02x of inputs %v gives %d for %03b", c, imm, order, 1-want, index)
						}
					}
				}
			}
		}
	}
}

func TestShifts(t *testing.T) {
	for _, c := range native() {
		for _, by := range []int{1, 2, 31, -1, -2, -31} {
			in, out := one(t, c, rowprogtest.Loads(1, rowprogtest.Table(lut.A, 0)), map[int]int{1: by})
			for k, word := range in[0] {
				want := word >> max(by, 0) << max(-by, 0)
				if out[k] != want {
					t.Errorf("%s: %x shifted by %d to the right is %x, want %x", c, word, by, out[k], want)
				}
			}
		}
	}
}

// TestWordsMove moves whole words of vectors, in both directions and by more than a vector has.
func TestWordsMove(t *testing.T) {
	for _, c := range native() {
		lanes := c.Lanes()
		l := layout.New(3*64*lanes, 1, lanes, 1, 0)
		for words := -lanes - 1; words <= lanes+1; words++ {
			p := rowprogtest.Loads(1, rowprogtest.Table(lut.A, 0))
			m, err := NewMachine(c, p, &l, nil, map[int]int{1: 64 * words})
			if err != nil {
				t.Fatal(err)
			}
			in, out := layout.AlignedWords(l.Stride), layout.AlignedWords(l.Stride)
			for i := range in {
				in[i] = uint64(i + 1)
			}
			m.Run([][]uint64{in, out}, nil, 0, l.Vectors, true)
			for i, got := range out[:3*lanes] {
				if want := uint64(i/lanes*lanes + ((i+words)%lanes+lanes)%lanes + 1); got != want {
					t.Fatalf("%s: %d words: word %d is %d, want %d", c, words, i, got, want)
				}
			}
		}
	}
}

// A program with too many values in use at a time is refused with ErrNotCompiled.
func TestTooManySpillSlots(t *testing.T) {
	const values = emitter.MaxSlots + 100
	p := rowprogtest.Loads(1)
	for i := range values {
		p.Ops = append(p.Ops, rowprogtest.Table(lut.NotA, i))
	}
	for i := range values { // in the same order, so that all of them wait
		p.Ops = append(p.Ops, rowprogtest.Table(lut.Xor, values+i, 1+i))
	}
	p.Out = []rowprog.Operand{{Value: len(p.Ops) - 1}}
	l := layout.Layout{Lanes: Fastest().Lanes(), Vectors: 1, Stride: 8}
	if Fastest() == Portable {
		t.Skip("no machine code here")
	}
	if _, err := NewMachine(Fastest(), p, &l, nil, nil); !errors.Is(err, ErrNotCompiled) ||
		!strings.Contains(fmt.Sprint(err), "spill slots") {
		t.Errorf("%v", err)
	}
}

// inputs is the number of inputs a table needs at least, the first ones, to have all on which it depends.
func inputs(imm uint8) int {
	needed := 0
	for k := range 3 {
		for index := range 8 {
			if imm>>index&1 != imm>>(index^4>>k)&1 {
				needed = k + 1
			}
		}
	}
	return needed
}
