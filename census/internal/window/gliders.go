package window

import (
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// A struck glider is two words: its place and direction, and the generation. Places are counted from the middle of the window, plus bias.
const (
	bias      = 1 << 11
	placeBits = 12
)

// strike removes the gliders that fly away, as sparse.Universe does. In each of the four directions it looks at the farthest cell only: most gliders are
// alone there soon. If there are too many it goes to full.
func (s *writer) strike(ox, oy ptx.B32, full ptx.Label) {
	k := s.k
	begin := k.NewLabel()
	k.Place(begin)
	s.copyTo(s.nowAt())
	tips := s.tips()
	for d := range 4 {
		skip := k.NewLabel()
		tip := tips[d]
		k.BranchIf(k.CompareN("eq", tip, 0), skip)
		// Each lane looks at one of the squares of 3×3 cells with the farthest cell in it.
		x := k.Sub(k.AndN(tip, 0xFF), ox)
		y := k.Sub(k.AndN(k.ShrN(tip, 8), 0xFF), oy)
		at := k.MulAdd(k.MaxN(y, 0), k.Const(4*int(s.window)), k.MulAdd(k.SarN(k.MaxN(x, 0), 5), k.Const(4), s.header))
		var square ptx.B32
		for r := range 3 {
			low, high := k.LoadShared(at, s.nowAt()+4*r*int(s.window), 1)[0], k.LoadShared(at, s.nowAt()+4*(r*int(s.window)+1), 1)[0]
			row := k.AndN(k.FunnelRBy(low, high, x), 7)
			if r == 0 {
				square = row
			} else {
				square = k.Or(square, k.ShlN(row, 3*r))
			}
		}
		found := s.zero
		flying := gliderOf(d)
		for code := range 512 {
			if flying.Has(code) {
				found = k.Select(k.CompareN("eq", square, code), k.Const(1), found)
			}
		}
		lanes := k.Ballot(k.CompareN("ne", found, 0))
		k.BranchIf(k.CompareN("eq", lanes, 0), skip)
		from := k.Clz(k.Reverse(lanes))
		x, y = k.ShuffleFrom(x, from), k.ShuffleFrom(y, from)
		flipX, flipY := k.Const(d&1-1), k.Const(d>>1-1)
		columns, rows := s.quarter(flipX, flipY, x, y, clearance)
		n := k.Const(0)
		for r, row := range s.cells {
			for j, v := range row {
				n = k.Add(n, k.Popc(k.Lop3(0x80, v, columns[j], rows[r])))
			}
		}
		k.BranchIf(k.CompareN("ne", s.sum(n), 5), skip)
		k.BranchIf(k.CompareN("eq", s.struck, mostGliders-1), full)
		over := k.NewLabel()
		k.DivergeIf(k.CompareN("ne", s.lane, 0), over)
		place := k.Or(k.AddN(x, bias-s.side()/2), k.ShlN(k.AddN(y, bias-s.side()/2), placeBits))
		k.StoreShared(k.Add(s.header, k.ShlN(s.struck, 3)), s.headerAt()+4*headerGlider, k.OrN(place, uint32(d)<<(2*placeBits)), s.generations)
		k.Place(over)
		k.WarpBarrier()
		k.Increase(s.struck, 1)
		for r, row := range s.cells {
			for j, v := range row {
				k.Move(v, k.Lop3(0x70, v, columns[j], rows[r])) // without those
			}
		}
		k.Branch(begin)
		k.Place(skip)
	}
}

// tips finds the farthest cell in each direction: its distance, row and column in a number; 0 if there are no cells. It is the same in all lanes.
func (s *writer) tips() (tips [4]ptx.B32) {
	k, last := s.k, int(s.window)-1
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
		for d := range tips {
			x, far := left, k.Sub(s.zero, left)
			if d&1 != 0 {
				x, far = right, right
			}
			if d&2 != 0 {
				far = k.Add(far, y)
			} else {
				far = k.Sub(far, y)
			}
			tip := k.Select(some, k.Or(k.ShlN(k.AddN(far, 2*s.side()), 16), k.Or(k.ShlN(y, 8), x)), s.zero)
			if r == 0 {
				tips[d] = tip
			} else {
				tips[d] = k.Max(tips[d], tip)
			}
		}
	}
	for d := range tips {
		tips[d] = s.reduced(tips[d], k.Max)
	}
	return tips
}

// reduced combines the numbers of all lanes, in all lanes.
func (s *writer) reduced(v ptx.B32, combine func(a, b ptx.B32) ptx.B32) ptx.B32 {
	for m := ptx.Lanes / 2; m > 0; m /= 2 {
		v = combine(v, s.k.ShuffleFrom(v, s.k.Lop3(lut.Xor, s.lane, s.k.Const(m), s.zero)))
	}
	return v
}

func (s *writer) sum(v ptx.B32) ptx.B32 { return s.reduced(v, s.k.Add) }

// quarter is the quarter of the plane that a glider flies into, and some cells behind it: masks of the columns of each word, and of the lane's rows. The flips
// are all ones where it flies to lower columns or rows.
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
	flown := k.ShrN(k.Sub(s.generations, g[1]), 2)
	place := func(shift int, flip ptx.B32) ptx.B32 {
		moved := k.Sub(k.Lop3(lut.Xor, flown, flip, s.zero), flip)
		return k.Add(k.AddN(k.AndN(k.ShrN(g[0], shift), 1<<placeBits-1), s.side()/2-bias), moved)
	}
	flipX, flipY := k.Not(k.BitMask(g[0], 2*placeBits)), k.Not(k.BitMask(g[0], 2*placeBits+1))
	columns, rows := s.quarter(flipX, flipY, place(0, flipX), place(placeBits, flipY), clearance-2)
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
