//go:build !page

package local

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/gosper-life/gosper/topology"
)

// mostEntries is the greatest number of entries of a Wide table.
const mostEntries = 1 << 24

// mostNear is the greatest number of neighbours of a Wide table: those within radius 16 of the Moore neighbourhood, and
// the numbers that 16 bits can hold.
const mostNear = 1<<16 - 1

// Place is a cell by its columns, rows and layers from another one; y is down.
type Place struct{ DX, DY, DZ int }

// Wide is a function as a table over cells anywhere around a cell.
//
// If Counting is false, an entry belongs to a state of the cell and a state of each neighbour: entry
// (…(cell·States + state of Near[0])·States + …)·States + state of the last. If it is true, an entry belongs to a state
// of the cell and the numbers of neighbours in states 1, 2, … States-1, n1, n2, …, whose sum is at most len(Near). The
// entries of a cell's state follow those of the state before, in lexicographic order of (n1, n2, …).
type Wide struct {
	States   int
	Near     []Place // without the cell itself, all different
	Counting bool
	Next     []uint8   // by entry: the next state, or States+i for Outcomes[i]
	Outcomes []Outcome // what is left to chance
}

// choose is the number of ways to choose k of n; mostEntries+1 stands for all greater numbers.
func choose(n, k int) int {
	if k > n-k {
		k = n - k
	}
	c := 1
	for i := 1; i <= k; i++ {
		if c = c * (n - k + i) / i; c > mostEntries {
			return mostEntries + 1
		}
	}
	return c
}

// entriesOf is the number of entries that a table of some states and neighbours has. ok is false if they are more than
// mostEntries.
func entriesOf(states, near int, counting bool) (n int, ok bool) {
	if counting {
		n = states * choose(near+states-1, states-1)
		return n, n <= mostEntries
	}
	n = states
	for range near {
		if n *= states; n > mostEntries {
			return n, false
		}
	}
	return n, true
}

// numberOf writes how many entries a table of some states and neighbours would have.
func numberOf(states, near int, counting bool) string {
	n := math.Pow(float64(states), float64(near+1))
	if counting {
		n = float64(states)
		for i := 1; i < states; i++ {
			n *= float64(near+i) / float64(i)
		}
	}
	if n < 1<<53 {
		return strconv.FormatFloat(math.Round(n), 'f', 0, 64)
	}
	return strconv.FormatFloat(n, 'e', 0, 64)
}

// Fill makes the entries of a table by calling next for all of them, in their order: with the state of the cell
// and those of its neighbours, or if Counting, with the numbers of neighbours in each state from 0 on. It is an
// error if there would be too many.
func (w *Wide) Fill(next func(cell uint8, near []int) uint8) error {
	if w.States < 2 || w.States > 256 {
		return fmt.Errorf("%d states: 2 to 256 are allowed", w.States)
	}
	entries, ok := entriesOf(w.States, len(w.Near), w.Counting)
	if !ok {
		return w.tooLarge()
	}
	w.Next = make([]uint8, 0, entries)
	size := len(w.Near)
	if w.Counting {
		size = w.States
	}
	near := make([]int, size)
	var try func(cell uint8, i, left int)
	try = func(cell uint8, i, left int) {
		switch {
		case i == size:
			if w.Counting {
				near[0] = left
			}
			w.Next = append(w.Next, next(cell, near))
		case w.Counting:
			for near[i] = 0; near[i] <= left; near[i]++ {
				try(cell, i+1, left-near[i])
			}
		default:
			for near[i] = 0; near[i] < w.States; near[i]++ {
				try(cell, i+1, 0)
			}
		}
	}
	first := 0
	if w.Counting {
		first = 1
	}
	for cell := range w.States {
		try(uint8(cell), first, len(w.Near))
	}
	return nil
}

func (w *Wide) tooLarge() error {
	return fmt.Errorf("too large: the table would have %s entries, and %d are allowed",
		numberOf(w.States, len(w.Near), w.Counting), mostEntries)
}

// Function returns the function. That of a table whose neighbours are all in the 3×3 block has a diagram. Any other one
// has the table itself: see Function.Wide.
func (w *Wide) Function() (*Function, error) {
	if w.States < 2 || w.States > 256 {
		return nil, fmt.Errorf("%d states: 2 to 256 are allowed", w.States)
	}
	if w.States+len(w.Outcomes) > 256 {
		return nil, fmt.Errorf("%d states and %d outcomes of chance: 256 in all are allowed", w.States, len(w.Outcomes))
	}
	if len(w.Near) == 0 || len(w.Near) > mostNear {
		return nil, fmt.Errorf("%d neighbours: 1 to %d are allowed", len(w.Near), mostNear)
	}
	entries, ok := entriesOf(w.States, len(w.Near), w.Counting)
	switch {
	case !ok:
		return nil, w.tooLarge()
	case len(w.Next) != entries:
		return nil, fmt.Errorf("the table has %d entries, and %d states and %d neighbours need %d", len(w.Next), w.States,
			len(w.Near), entries)
	}
	seen := map[Place]bool{{}: true}
	for _, p := range w.Near {
		if seen[p] {
			return nil, fmt.Errorf("the neighbour (%d, %d, %d) is the cell itself, or is there twice", p.DX, p.DY, p.DZ)
		}
		seen[p] = true
	}
	sorted, err := w.sorted()
	if err != nil {
		return nil, err
	}
	if sorted.block() {
		return sorted.diagram()
	}
	f := &Function{States: w.States, Outcomes: sorted.Outcomes, wide: sorted}
	f.define = func(*Around) uint8 { panic("local: a function of more than the 3×3 block is asked about a block") }
	f.digest = sync.OnceValue(sorted.digest)
	return f, nil
}

// sorted is the table with only those outcomes that it uses, in the order of all functions.
func (w *Wide) sorted() (*Wide, error) {
	used := map[string]Outcome{}
	for i, next := range w.Next {
		if int(next) < w.States {
			continue
		}
		n := int(next) - w.States
		if n >= len(w.Outcomes) {
			return nil, fmt.Errorf("entry %d is %d, of %d states and %d outcomes", i, next, w.States, len(w.Outcomes))
		}
		used[fmt.Sprint(w.Outcomes[n])] = w.Outcomes[n]
	}
	s := &Wide{States: w.States, Near: w.Near, Counting: w.Counting, Next: bytes.Clone(w.Next)}
	for _, o := range used {
		if err := o.check(w.States); err != nil {
			return nil, err
		}
		s.Outcomes = append(s.Outcomes, o)
	}
	slices.SortFunc(s.Outcomes, compareOutcomes)
	var number [256]uint8
	for i := range number {
		number[i] = uint8(i)
	}
	for i, o := range w.Outcomes {
		if at, ok := slices.BinarySearchFunc(s.Outcomes, o, compareOutcomes); ok {
			number[w.States+i] = uint8(w.States + at)
		}
	}
	for i, next := range s.Next {
		s.Next[i] = number[next]
	}
	return s, nil
}

// check refuses outcomes that do not rise to certainty, and states beyond the last.
func (o Outcome) check(states int) error {
	below := uint64(0)
	for _, s := range o {
		if s.Below <= below || int(s.State) >= states {
			return fmt.Errorf("outcome %v: probabilities must rise, and states are 0 to %d", o, states-1)
		}
		below = s.Below
	}
	if below != certain {
		return fmt.Errorf("outcome %v: the probabilities must add up to 1", o)
	}
	return nil
}

// block reports whether all neighbours are in the 3×3 block.
func (w *Wide) block() bool {
	return !slices.ContainsFunc(w.Near, func(p Place) bool { return max(p.DX, -p.DX, p.DY, -p.DY) > 1 || p.DZ != 0 })
}

// Radius is the distance to the farthest neighbour along rows, columns or layers.
func (w *Wide) Radius() (r int) {
	for _, p := range w.Near {
		r = max(r, p.DX, -p.DX, p.DY, -p.DY, p.DZ, -p.DZ)
	}
	return r
}

// EntryOf is the number of the entry of a cell's state and the states of its neighbours.
func (w *Wide) EntryOf(cell uint8, near func(Place) uint8) int {
	if !w.Counting {
		entry := int(cell)
		for _, p := range w.Near {
			entry = entry*w.States + int(near(p))
		}
		return entry
	}
	var counts [256]int
	for _, p := range w.Near {
		counts[near(p)]++
	}
	return w.EntryOfCounts(cell, counts[1:w.States])
}

// EntryOfCounts is the number of the entry of a cell's state and the numbers of neighbours in states 1, 2, ….
func (w *Wide) EntryOfCounts(cell uint8, counts []int) int {
	left := len(w.Near) // neighbours that are in this state or a later one, or in state 0
	entry := int(cell) * choose(left+len(counts), len(counts))
	for i, n := range counts {
		more := len(counts) - i
		entry += choose(left+more, more) - choose(left-n+more, more)
		left -= n
	}
	return entry
}

// Define returns the next state of a cell, or the number of an outcome.
func (w *Wide) Define(cell uint8, near func(Place) uint8) uint8 { return w.Next[w.EntryOf(cell, near)] }

func (w *Wide) digest() [sha256.Size]byte {
	sum := sha256.New()
	fmt.Fprintln(sum, "wide", w.States, w.Near, w.Counting, w.Outcomes)
	sum.Write(w.Next)
	return [sha256.Size]byte(sum.Sum(nil))
}

func (w *Wide) equal(v *Wide) bool {
	return w.States == v.States && w.Counting == v.Counting && slices.Equal(w.Near, v.Near) && bytes.Equal(w.Next, v.Next)
}

// invariant reports whether turning the cells never changes the next state. It may return false for large tables that
// do not count.
func (w *Wide) invariant(s topology.Symmetry) bool {
	const few = 1 << 16 // entries that are compared one by one
	to := make([]int, len(w.Near))
	for i, p := range w.Near {
		dx, dy := s.Apply(p.DX, p.DY)
		if to[i] = slices.Index(w.Near, Place{dx, dy, p.DZ}); to[i] < 0 {
			return false
		}
	}
	if w.Counting || s == topology.Identity {
		return true
	}
	if len(w.Next) > few {
		return false
	}
	states := make([]int, len(w.Near))
	for entry, next := range w.Next {
		rest := entry
		for i := range slices.Backward(states) {
			states[i], rest = rest%w.States, rest/w.States
		}
		turned := rest
		for _, i := range to {
			turned = turned*w.States + states[i]
		}
		if w.Next[turned] != next {
			return false
		}
	}
	return true
}

// diagram is the function of a table of the 3×3 block.
func (w *Wide) diagram() (*Function, error) {
	cells := []int{C}
	for _, p := range w.Near {
		cells = append(cells, cellAt(p.DX, p.DY))
	}
	b := newBuilder(w.States, cells)
	var build func(level, entry int, counts []int) (ref, error)
	type key struct {
		level, entry int
	}
	made := map[key]ref{} // by level and the entry of the states so far, the rest of which are in state 0
	build = func(level, entry int, counts []int) (ref, error) {
		if level == len(cells) {
			if w.Counting {
				entry = w.EntryOfCounts(uint8(entry), counts)
			}
			return terminal(int(w.Next[entry])), nil
		}
		k := key{level, entry}
		if w.Counting && level > 0 {
			k.entry = w.EntryOfCounts(uint8(entry), counts)
			if r, ok := made[k]; ok {
				return r, nil
			}
		}
		to := make([]ref, w.States)
		for s := range w.States {
			var err error
			if !w.Counting || level == 0 {
				to[s], err = build(level+1, entry*w.States+s, counts)
			} else {
				if s > 0 {
					counts[s-1]++
				}
				to[s], err = build(level+1, entry, counts)
				if s > 0 {
					counts[s-1]--
				}
			}
			if err != nil {
				return none, err
			}
		}
		r, err := b.dense(level, to)
		if err == nil && w.Counting {
			made[k] = r
		}
		return r, err
	}
	root, err := build(0, 0, make([]int, w.States-1))
	if err != nil {
		return nil, err
	}
	f := newFunction(w.States, b.diagram(root), func(at *Around) uint8 {
		return w.Define(at[C], func(p Place) uint8 { return at[cellAt(p.DX, p.DY)] })
	})
	if len(w.Outcomes) > 0 {
		f.withOutcomes(w.Outcomes)
	}
	return f, nil
}

// Wide returns the table of a function that needs more cells than the 3×3 block, or nil. Callers share it and must not
// change it.
func (f *Function) Wide() *Wide { return f.wide }

// Counted returns births and survivals: for a table of two states that counts and leaves nothing to chance, the numbers
// of neighbours after which a dead cell is live, and after which a live one is.
func (w *Wide) Counted() (birth, survival []int, ok bool) {
	if w.States != 2 || !w.Counting || len(w.Outcomes) > 0 {
		return nil, nil, false
	}
	for n := range len(w.Near) + 1 {
		if w.Next[n] == 1 {
			birth = append(birth, n)
		}
		if w.Next[len(w.Near)+1+n] == 1 {
			survival = append(survival, n)
		}
	}
	return birth, survival, true
}
