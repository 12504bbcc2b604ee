package wavefront

import (
	"cmp"
	"slices"

	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// Random makes rows of random bits.
type Random interface {
	// Fill stores, for row y of a generation, in rows[i] which cells have a random number of a use below the
	// probability below[i]. clean says that the rows are zeros. The probabilities are in units of 2^-32 and rise
	// to most, the greatest of the use. It reports whether there is such a cell: else the rows are zeros.
	Fill(rows [][]uint64, clean bool, use uint8, below []uint64, most, generation uint64, y int) bool
}

// draw is the probabilities of one use of chance in a program.
type draw struct {
	use   uint8
	below []uint64
	most  uint64
	pairs bool // see chance.Draw
}

// randoms are the rows of one draw that a level has made.
type randoms struct {
	rows [][]uint64 // of each slot those of all probabilities
	made []made     // by slot: row y modulo their number
	some []bool     // by slot: its rows are not zeros; where cells are rare, many are
}

// made records the row and the generation that a slot holds.
type made struct {
	generation uint64
	y          int
	is         bool
}

// draws puts the program's probabilities together by their uses, each from the smallest to the greatest.
func (w *Wavefront) draws() {
	chances := w.program.Chances
	order := make([]int, len(chances))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(chances[i].Use, chances[j].Use), cmp.Compare(chances[i].Below, chances[j].Below))
	})
	w.chances = make([][2]int, len(chances))
	for _, i := range order {
		c := &chances[i]
		if n := len(w.drawn); n == 0 || w.drawn[n-1].use != c.Use {
			w.drawn = append(w.drawn, draw{use: c.Use, most: uint64(c.Most), pairs: c.Pairs})
		}
		d := &w.drawn[len(w.drawn)-1]
		d.below = append(d.below, uint64(c.Below))
		w.chances[i] = [2]int{len(w.drawn) - 1, len(d.below) - 1}
	}
}

// randoms are rows for a level. A program can load several rows of random bits around the row that it computes. The
// next level, some rows behind, can share them.
func (w *Wavefront) randoms(stride int) (all []randoms) {
	n := 2*w.program.Up - w.program.Down + 1
	for _, d := range w.drawn {
		r := randoms{made: make([]made, n), some: make([]bool, n)}
		for range n * len(d.below) {
			r.rows = append(r.rows, layout.AlignedWords(stride))
		}
		all = append(all, r)
	}
	return all
}

// Draw makes the wavefront take its random bits from a source. Programs with random bits need one.
func (w *Wavefront) Draw(from Random) {
	w.source = from
	for _, l := range w.levels {
		for _, r := range l.random {
			clear(r.made)
		}
	}
}

// random is row y of random bits number i of the program, as level l needs it.
func (w *Wavefront) random(i, l, y int) []uint64 {
	at := w.chances[i]
	d, now := &w.drawn[at[0]], w.generation+uint64(l)
	generation := chance.Draw(d.use, d.pairs, now)
	if generation+1 == now && d.pairs { // the level before has made them
		l = max(0, l-1)
	}
	r := &w.levels[l].random[at[0]]
	slot := floorMod(y, len(r.made))
	rows := r.rows[slot*len(d.below) : (slot+1)*len(d.below)]
	if is := (made{generation, y, true}); r.made[slot] != is {
		r.some[slot] = w.source.Fill(rows, !r.some[slot], d.use, d.below, d.most, is.generation, y)
		r.made[slot] = is
	}
	return rows[at[1]]
}
