package window

import (
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// A struck glider is two words: its place, and the generation with what the glider looked like. Places are
// counted from the middle of the window, plus bias.
//
//	         31       24 23       12 11        0
//	        ┌───────────┬───────────┬───────────┐
//	place   │     0     │    row    │  column   │
//	        └───────────┴───────────┴───────────┘
//	         31   28 27   19      18      17     16 15         0
//	        ┌───────┬───────┬───────────┬───────────┬────────────┐
//	time    │   0   │ cells │  leaving  │ direction │ generation │
//	        └───────┴───────┴───────────┴───────────┴────────────┘
const (
	bias      = 1 << 11
	placeBits = 12

	generationBits = 16
	directionBit   = generationBits     // two bits: whether to higher columns, to higher rows
	leavingBit     = generationBits + 2 // from the largest window, over an edge, with cells in the quarter ahead
	squareBit      = generationBits + 3 // nine bits: its cells
)

// strike removes the gliders that fly away, as sparse.Universe does. It looks only at the cells that are
// farthest in some direction: most gliders are alone there soon. If there are too many it goes to full.
//
// From the largest window gliders also leave if they are alone near an edge that they fly to: beyond it there
// are only gliders that have been struck. Whether these meet must be found out later.
func (s *writer) strike(ox, oy ptx.B32, full ptx.Label) {
	k := s.k
	begin, next, end, taken := k.NewLabel(), k.NewLabel(), k.NewLabel(), k.NewLabel()
	k.Place(begin)
	s.copyTo(s.nowAt())
	tips := s.tips()
	i := k.NewB32()
	k.Assign(i, -1)
	k.Place(next)
	k.Increase(i, 1)
	k.BranchIf(k.CompareN("eq", i, directions), end)
	tip := k.ShuffleFrom(tips, i)
	k.BranchIf(k.CompareN("eq", tip, 0), next)
	// Each lane looks at one of the squares of 3×3 cells with this cell in it.
	x := k.Sub(k.AndN(tip, 0xFF), ox)
	y := k.Sub(k.AndN(k.ShrN(tip, 8), 0xFF), oy)
	at := k.MulAdd(k.MaxN(y, 0), k.Const(4*int(s.window)), k.MulAdd(k.SarN(k.MaxN(x, 0), 5), k.Const(4), s.header))
	square := s.zero
	for r := range 3 {
		low, high := k.LoadShared(at, s.nowAt()+4*r*int(s.window), 1)[0],
			k.LoadShared(at, s.nowAt()+4*(r*int(s.window)+1), 1)[0]
		square = k.Or(square, k.ShlN(k.AndN(k.FunnelRBy(low, high, x), 7), 3*r))
	}
	glider := s.zero // its description
	for d := range 4 {
		flying := gliderOf(d)
		for code := range 512 {
			if flying.Has(code) {
				glider = k.Select(k.CompareN("eq", square, code), k.Const(d<<directionBit|code<<squareBit), glider)
			}
		}
	}
	lanes := k.Ballot(k.CompareN("ne", glider, 0))
	k.BranchIf(k.CompareN("eq", lanes, 0), next)
	from := k.Clz(k.Reverse(lanes))
	x, y, glider = k.ShuffleFrom(x, from), k.ShuffleFrom(y, from), k.ShuffleFrom(glider, from)
	flipX, flipY := k.Not(k.BitMask(glider, directionBit)), k.Not(k.BitMask(glider, directionBit+1))
	columns, rows := s.quarter(flipX, flipY, x, y, clearance)
	found := k.NewB32()
	k.Move(found, glider)
	k.BranchIf(k.CompareN("eq", s.within(columns, rows), 5), taken)
	if !s.last {
		k.Branch(next)
	} else {
		// How far it is from the edges that it flies to.
		distance := func(v, flip ptx.B32) ptx.B32 {
			return k.Select(k.CompareN("eq", flip, 0), k.Sub(k.Const(s.side()-3), v), v)
		}
		k.BranchIf(k.CompareN("ge", k.Min(distance(x, flipX), distance(y, flipY)), margin), next)
		c, r := s.quarter(k.Not(flipX), k.Not(flipY), x, y, clearance)
		for j := range columns {
			k.Move(columns[j], k.And(columns[j], c[j]))
		}
		for j := range rows {
			k.Move(rows[j], k.And(rows[j], r[j]))
		}
		k.Move(found, k.OrN(glider, 1<<leavingBit))
		k.BranchIf(k.CompareN("ne", s.within(columns, rows), 5), next)
	}
	k.Place(taken)
	k.BranchIf(k.CompareN("eq", s.struck, mostGliders-1), full)
	over := k.NewLabel()
	k.DivergeIf(k.CompareN("ne", s.lane, 0), over)
	place := k.Or(k.AddN(x, bias-s.side()/2), k.ShlN(k.AddN(y, bias-s.side()/2), placeBits))
	time := k.Or(found, s.generations)
	k.StoreShared(k.Add(s.header, k.ShlN(s.struck, 3)), s.headerAt()+4*headerGlider, place, time)
	k.Place(over)
	k.WarpBarrier()
	k.Increase(s.struck, 1)
	if s.last {
		k.Move(s.leaving, k.Or(s.leaving, found))
	}
	for r, row := range s.cells {
		for j, v := range row {
			k.Move(v, k.Lop3(0x70, v, columns[j], rows[r])) // without those
		}
	}
	k.Branch(begin) // without the glider other cells are the farthest
	k.Place(end)
}

// within counts the cells in some columns of some rows.
func (s *writer) within(columns, rows []ptx.B32) ptx.B32 {
	k, n := s.k, s.k.Const(0)
	for r, row := range s.cells {
		for j, v := range row {
			n = k.Add(n, k.Popc(k.Lop3(0x80, v, columns[j], rows[r])))
		}
	}
	return s.sum(n)
}

// directions are the diagonals, and the four between them.
const directions = 8

// tips finds the farthest cell in each direction: its distance, row and column in a number, which lane i has
// for direction i; 0 if there are no cells.
//
//	31                  16 15     8 7        0
//	┌─────────────────────┬────────┬──────────┐
//	│ distance + 2·side   │  row   │  column  │
//	└─────────────────────┴────────┴──────────┘
//
// The distance is in the highest bits, so the largest number belongs to the farthest cell. 2·side keeps it above zero.
func (s *writer) tips() ptx.B32 {
	k, last := s.k, int(s.window)-1
	var tips [directions]ptx.B32
	for r, row := range s.cells {
		left, right := k.Const(-1), k.Const(-1)
		for j := range row {
			v := row[j]
			right = k.Select(k.CompareN("ne", v, 0), k.Sub(k.Const(32*j+31), k.Clz(v)), right)
			v = row[last-j]
			left = k.Select(k.CompareN("ne", v, 0), k.AddN(k.Clz(k.Reverse(v)), 32*(last-j)), left)
		}
		some := k.CompareN("ge", right, 0)
		y := k.AddN(s.row0, r)
		up, before := k.Sub(s.zero, y), k.Sub(s.zero, left)
		for d, far := range [directions]struct{ distance, x ptx.B32 }{
			{k.Add(before, up), left},
			{k.Add(right, up), right},
			{k.Add(before, y), left},
			{k.Add(right, y), right},
			{up, left},
			{y, left},
			{before, left},
			{right, right},
		} {
			tip := k.Select(some, k.Or(k.ShlN(k.AddN(far.distance, 2*s.side()), 16), k.Or(k.ShlN(y, 8), far.x)), s.zero)
			if r == 0 {
				tips[d] = tip
			} else {
				tips[d] = k.Max(tips[d], tip)
			}
		}
	}
	all := s.zero
	for d, tip := range tips {
		all = k.Select(k.CompareN("eq", s.lane, d), s.reduced(tip, k.Max), all)
	}
	return all
}

// reduced combines the numbers of all lanes, in all lanes.
func (s *writer) reduced(v ptx.B32, combine func(a, b ptx.B32) ptx.B32) ptx.B32 {
	for m := ptx.Lanes / 2; m > 0; m /= 2 {
		v = combine(v, s.k.ShuffleFrom(v, s.k.Lop3(lut.Xor, s.lane, s.k.Const(m), s.zero)))
	}
	return v
}

func (s *writer) sum(v ptx.B32) ptx.B32 { return s.reduced(v, s.k.Add) }

// quarter is the quarter of the plane that a glider flies into, and some cells behind it: masks of the columns
// of each word, and of the lane's rows. The flips are all ones where it flies to lower columns or rows.
func (s *writer) quarter(flipX, flipY, x, y ptx.B32, behind int) (columns, rows []ptx.B32) {
	k := s.k
	first := func(flip, v ptx.B32) ptx.B32 { // the first column or row of the quarter, or the first beyond it
		return k.Add(k.AddN(v, -behind), k.AndN(flip, uint32(3+2*behind)))
	}
	fx, fy := first(flipX, x), first(flipY, y)
	all := k.Const(-1)
	for j := range s.cells[0] {
		columns = append(columns, k.Lop3(lut.Xor, k.Shl(all, k.MaxN(k.AddN(fx, -32*j), 0)), flipX, s.zero))
	}
	for r := range s.cells {
		rows = append(rows, k.Lop3(lut.Xor, s.word(k.Compare("ge", k.AddN(s.row0, r), fy)), flipY, s.zero))
	}
	return columns, rows
}

// intrusion goes to a label if a cell lives near a struck glider or ahead of it.
func (s *writer) intrusion(near ptx.Label) {
	k := s.k
	next, end := k.NewLabel(), k.NewLabel()
	i := k.NewB32()
	k.Assign(i, 0)
	k.Place(next)
	k.BranchUnless(k.Compare("lt", i, s.struck), end)
	g := k.LoadShared(k.Add(s.header, k.ShlN(i, 3)), s.headerAt()+4*headerGlider, 2)
	k.Increase(i, 1)
	flown := k.ShrN(k.Sub(s.generations, k.AndN(g[1], 1<<generationBits-1)), 2)
	place := func(shift int, flip ptx.B32) ptx.B32 {
		moved := k.Sub(k.Lop3(lut.Xor, flown, flip, s.zero), flip)
		return k.Add(k.AddN(k.AndN(k.ShrN(g[0], shift), 1<<placeBits-1), s.side()/2-bias), moved)
	}
	flipX, flipY := k.Not(k.BitMask(g[1], directionBit)), k.Not(k.BitMask(g[1], directionBit+1))
	x, y := place(0, flipX), place(placeBits, flipY)
	columns, rows := s.quarter(flipX, flipY, x, y, clearance-2)
	if s.last {
		// One that leaves has cells ahead, but none around it.
		c, r := s.quarter(k.Not(flipX), k.Not(flipY), x, y, clearance-2)
		quarter := k.Not(k.BitMask(g[1], leavingBit))
		const andOr = 0xE0 // a and (b or c)
		for j := range columns {
			columns[j] = k.Lop3(andOr, columns[j], c[j], quarter)
		}
		for j := range rows {
			rows[j] = k.Lop3(andOr, rows[j], r[j], quarter)
		}
	}
	cells := k.Const(0)
	for j := range columns {
		column := k.And(s.cells[0][j], rows[0])
		for r := 1; r < len(rows); r++ {
			column = k.Lop3(0xEA, s.cells[r][j], rows[r], column) // a·b + c
		}
		cells = k.Lop3(0xEA, column, columns[j], cells)
	}
	k.BranchUnless(s.somewhere(cells), next)
	k.Branch(near)
	k.Place(end)
}

// gliderOf is a glider that flies in direction d: bit 0 says whether to higher columns, bit 1 to higher rows.
func gliderOf(d int) sparse.Glider { return sparse.Glider{DX: d&1*2 - 1, DY: d&2 - 1} }
