package window

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/census/internal/card"

	"github.com/gosper-life/gosper/internal/ptx/ptxtest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// A rig runs the kernels of a rule on the host.
type rig struct {
	testing.TB
	batch    *sparse.Batch
	programs map[string]*ptxtest.Program
}

func newRig(t testing.TB, text string) *rig {
	t.Helper()
	r, err := rule.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := sparse.NewBatch(r)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := Texts(r, b.HasGlider())
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]*ptxtest.Program{}
	for _, text := range texts {
		module, err := ptxtest.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(programs, module)
	}
	return &rig{t, b, programs}
}

func number(mem *ptxtest.Memory, at uint64) *[4]byte { return (*[4]byte)(mem.Bytes(at, 4)) }

func get(mem *ptxtest.Memory, at uint64) uint32 {
	return binary.LittleEndian.Uint32(number(mem, at)[:])
}

func put(mem *ptxtest.Memory, at uint64, v uint32) {
	binary.LittleEndian.PutUint32(number(mem, at)[:], v)
}

// run puts n soups or records through the windows from a given one on, and returns the output.
func (r *rig) run(first, n int, source []uint32, limit uint64) *Piece {
	r.Helper()
	var mem ptxtest.Memory
	from := mem.Alloc(uint64(4 * len(source)))
	for i, v := range source {
		put(&mem, from+uint64(4*i), v)
	}
	numbers := mem.Alloc(4 * 16)
	put(&mem, numbers+uint64(8*first), uint32(n))
	units := numbers + 4*15
	out := mem.Alloc(uint64(n) * 4 * uint64(headerWords+2*windows[len(windows)-1].words()))
	for i, w := range windows[first:] {
		larger := mem.Alloc(uint64(n * 4 * (headerWords + w.words())))
		at := numbers + uint64(8*(first+i))
		if err := r.programs[w.kernel()].Run(&mem, 2, 1, 64, 2*w.warpBytes(),
			[]uint64{from, at, at + 4, larger, at + 8, out, units, limit}); err != nil {
			r.Fatal(err)
		}
		from = larger
	}
	p := &Piece{n: int(get(&mem, units)) * unit}
	for i := range p.n {
		p.buffer = append(p.buffer, get(&mem, out+uint64(4*i)))
	}
	return p
}

// cellsOf lists the cells of rows of a window, counted from its middle.
func cellsOf(side, top int, words []uint32) (cells []sparse.Cell) {
	for i := range 32 * len(words) {
		if words[i/32]>>(i%32)&1 != 0 {
			cells = append(cells, sparse.Cell{X: i%side - side/2, Y: i/side + top - side/2})
		}
	}
	return cells
}

// check compares a record with what its soup becomes on the unbounded plane.
func (r *rig) check(rec *card.Record, soup []sparse.Cell) {
	r.Helper()
	var u sparse.Universe
	u.Load(soup)
	pass := func(n int) {
		u.WakeAll()
		r.batch.Pass([]*sparse.Universe{&u}, n)
	}
	for u.Generation() < rec.Generation {
		pass(passGenerations)
	}
	now := cellsOf(rec.Side, rec.Top, rec.Cells)
	// The gliders that were struck are whole, and where they must be by now.
	left := map[sparse.Cell]bool{}
	for _, c := range u.Cells() {
		left[c] = true
	}
	for _, c := range now {
		if !left[c] {
			r.Fatalf("soup %d: a cell at %v that does not live", rec.Soup, c)
		}
		delete(left, c)
	}
	if len(left) != 5*rec.Struck {
		r.Errorf("soup %d: %d cells are missing, with %d gliders", rec.Soup, len(left), rec.Struck)
	}
	for _, g := range rec.Gliders {
		x, y := g.Place(rec.Generation)
		n := 0
		for c := range left {
			if c.X >= x-1 && c.X <= x+3 && c.Y >= y-1 && c.Y <= y+3 {
				n++
			}
		}
		if n != 5 {
			r.Errorf("soup %d: %d cells where a glider flies by %d,%d at %d,%d", rec.Soup, n, g.DX, g.DY, x, y)
		}
	}
	if rec.Fate != card.Settled && rec.Fate != card.SettledLeft {
		return
	}
	// Without gliders it comes back, and lives where the record says.
	u.Load(now)
	ever := map[sparse.Cell]bool{}
	for range passGenerations {
		for _, c := range u.Cells() {
			ever[c] = true
		}
		pass(1)
	}
	if !slices.Equal(u.Cells(), now) {
		r.Errorf("soup %d has not settled", rec.Soup)
	}
	said := cellsOf(rec.Side, rec.Top, rec.Ever)
	for _, c := range said {
		if !ever[c] {
			r.Errorf("soup %d: no cell ever lives at %v", rec.Soup, c)
		}
	}
	if len(said) != len(ever) {
		r.Errorf("soup %d: %d cells ever live, not %d", rec.Soup, len(ever), len(said))
	}
}

// TestSoups compares soups with what they become on the unbounded plane.
func TestSoups(t *testing.T) {
	for text, n := range map[string]int{
		"B3/S23": 24, "B36/S23": 8, "B3/S12": 4, "B2-a/S12": 2, "B3/S23V": 8,
		"B2/S34H": 4,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, text)
			random := rand.New(rand.NewPCG(1, 2))
			words := make([]uint32, n*soupRows)
			for i := range words {
				if y := i % soupRows; i/soupRows%2 == 1 {
					words[i] = random.Uint32() & random.Uint32() // some fill all rows
				} else if y >= 8 && y < 24 {
					words[i] = random.Uint32() & 0xFFFF << 8
				}
			}
			seen := map[uint64]bool{}
			fates := map[card.Fate]int{}
			r.run(0, n, words, 1200).Records(func(rec *card.Record) {
				seen[rec.Soup] = true
				fates[rec.Fate]++
				if rec.Fate != card.Again {
					r.check(rec, cellsOf(soupRows, 0, words[rec.Soup*soupRows:][:soupRows]))
				}
			})
			if len(seen) != n {
				t.Errorf("%d soups came back, want %d", len(seen), n)
			}
			if text == "B3/S23" && fates[card.Settled] < n/2 {
				t.Errorf("fates %v", fates)
			}
		})
	}
}

// TestFates holds what becomes of cells that the largest window gets, with gliders that were struck before.
func TestFates(t *testing.T) {
	r := newRig(t, "B3/S23")
	last := len(windows) - 1
	w := windows[last-1]
	glider := []sparse.Cell{{X: 1, Y: 0}, {X: 2, Y: 1}, {X: 0, Y: 2}, {X: 1, Y: 2}, {X: 2, Y: 2}} // flies right and down
	ship := []sparse.Cell{
		{X: 1, Y: 0},
		{X: 4, Y: 0},
		{X: 0, Y: 1},
		{X: 0, Y: 2},
		{X: 4, Y: 2},
		{X: 0, Y: 3},
		{X: 1, Y: 3},
		{X: 2, Y: 3},
		{X: 3, Y: 3},
	} // flies left
	var bar []sparse.Cell // becomes an oscillator of period 15
	for x := range 10 {
		bar = append(bar, sparse.Cell{X: x})
	}
	at := func(x, y int, cells []sparse.Cell) (all []sparse.Cell) {
		for _, c := range cells {
			all = append(all, sparse.Cell{X: c.X + x, Y: c.Y + y})
		}
		return all
	}
	mirrored := func(cells []sparse.Cell) (all []sparse.Cell) {
		for _, c := range cells {
			all = append(all, sparse.Cell{X: -c.X, Y: c.Y})
		}
		return all
	}
	flipped := func(cells []sparse.Cell) (all []sparse.Cell) {
		for _, c := range cells {
			all = append(all, sparse.Cell{X: c.X, Y: -c.Y})
		}
		return all
	}
	block := []sparse.Cell{{}, {X: 1}, {Y: 1}, {X: 1, Y: 1}}
	struck := func(x, y int) []sparse.Glider { return []sparse.Glider{{DX: 1, DY: 1, X: x, Y: y, Generation: 60}} }
	for name, test := range map[string]struct {
		cells   []sparse.Cell
		gliders []sparse.Glider
		fate    card.Fate
		struck  int
	}{
		"nothing":                  {nil, nil, card.Settled, 0},
		"a block":                  {block, nil, card.Settled, 0},
		"a block and a glider":     {slices.Concat(at(-20, -20, block), glider), nil, card.Settled, 1},
		"a glider towards a block": {slices.Concat(at(30, 30, block), at(-30, -35, glider)), nil, card.Settled, 0},
		"gliders in a row": {
			slices.Concat(glider, at(20, 20, glider), at(30, -11, glider), at(-60, 3, block)),
			nil, card.Settled, 3,
		},
		"gliders to both sides":         {slices.Concat(glider, at(-20, 0, mirrored(glider))), nil, card.Settled, 2},
		"a ship":                        {ship, nil, card.Unfinished, 0},
		"a long period":                 {bar, nil, card.Returning, 0},
		"a block ahead of one struck":   {at(40, 40, block), struck(20, 20), card.Again, 0},
		"a block far behind one struck": {at(-40, 40, block), struck(20, 20), card.Settled, 1},
		"gliders that meet outside": {
			slices.Concat(at(-80, 60, glider), at(90, 60, mirrored(glider))), nil,
			card.SettledLeft, 2,
		},
		"one ahead that flies back": {
			slices.Concat(at(-90, 60, glider), at(90, 90, flipped(mirrored(glider)))), nil,
			card.Settled, 2,
		},
		"a ship that overtakes one": {slices.Concat(glider, at(-40, 40, mirrored(ship))), nil, card.Again, 0},
		"a ship that does not":      {slices.Concat(glider, at(-40, -40, mirrored(ship))), nil, card.Unfinished, 1},
	} {
		record := make([]uint32, headerWords+w.words())
		record[headerSoup], record[headerGeneration], record[headerGliders] = 5, 66, uint32(len(test.gliders))
		for i, g := range test.gliders {
			place, look := uint32(g.X+bias)|uint32(g.Y+bias)<<placeBits,
				uint32(g.Generation)|uint32((g.DX+1)/2+(g.DY+1))<<directionBit
			copy(record[headerGlider+2*i:], []uint32{place, look})
		}
		for _, c := range test.cells {
			x, y := c.X+w.side()/2, c.Y+w.side()/2
			record[headerWords+y*int(w)+x/32] |= 1 << (x % 32)
		}
		n := 0
		r.run(last, 1, record, 6000).Records(func(rec *card.Record) {
			n++
			if rec.Soup != 5 || rec.Fate != test.fate || rec.Fate != card.Again && rec.Struck != test.struck {
				t.Errorf("%s: soup %d, fate %d, %d gliders struck, want 5, %d, %d", name, rec.Soup, rec.Fate, rec.Struck, test.fate,
					test.struck)
			}
		})
		if n != 1 {
			t.Errorf("%s: %d records", name, n)
		}
	}
}

// TestLimit checks that soups come back when they are old.
func TestLimit(t *testing.T) {
	r := newRig(t, "B3/S23")
	rPentomino := []uint32{15: 0b110 << 14, 16: 0b011 << 14, 17: 0b010 << 14, 31: 0}
	r.run(0, 1, rPentomino, 500).Records(func(rec *card.Record) {
		if rec.Fate != card.Unfinished || rec.Generation < 500 || rec.Generation >= 500+passGenerations*passesOfCheck {
			t.Errorf("fate %d at generation %d", rec.Fate, rec.Generation)
		}
		r.check(rec, cellsOf(soupRows, 0, rPentomino))
	})
}
