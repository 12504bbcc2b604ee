package wavefront

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
)

// loader and storer go down the rows.
type loader struct {
	row, first, end, stride ptx.B32
	base                    []ptx.B64 // by plane: the lane's words of row 0
	left                    []ptx.B64 // by plane, with a lead only: the words of the group to the left
	ahead                   []ptx.B64 // by plane: the lane's words of row `prefetched`
}

type storer struct {
	row, stride ptx.B32
	lane        ptx.Pred
	base        []ptx.B64
}

// prologue reads the arguments and finds the warp's strip.
func (s *writer) prologue() {
	k := s.k
	source, target := k.Param64(), k.Param64()
	plane := k.Param64()
	stride, groups := k.Param32(), k.Param32()
	before, after, wrap := k.Param32(), k.Param32(), k.Param32()
	s.in.first, s.in.end = k.Param32(), k.Param32()
	firstRow, lastRow, stripRows, strips := k.Param32(), k.Param32(), k.Param32(), k.Param32()
	width, top, tall := k.Param32(), k.Param32(), k.Param32()
	s.scratch = k.Param64()
	for range Turning(s.f) {
		s.given.turns = append(s.given.turns, k.Param32())
	}
	s.chances = s.f.Chances()
	s.tall = tall
	prepareRandom := s.readRandom(groups, wrap)

	s.number = k.Special("tid.x")
	s.lane = s.number
	s.block = k.Special("ctaid.x")
	h, stored := s.Stored(s.f)
	inStrip := k.Below(k.AddN(s.lane, -h), k.Const(stored))
	var across, y0, group ptx.B32
	if s.Folds(s.f) {
		// Lanes may belong to different tiers, but all go down the same number of rows, so that the compiler knows that a warp's lanes agree on
		// it. The last tier therefore ends at the last row, and may share rows with the one above. Lanes beyond it have its rows too.
		tier := k.AddN(groups, ptx.Lanes-stored)
		place := k.Add(k.MulN(s.block, stored), s.lane)
		down := k.DivU(place, tier)
		group = k.AddN(k.Sub(place, k.Mul(down, tier)), -h)
		height, from := k.Sub(lastRow, firstRow), k.Mul(down, stripRows)
		s.rows = stripRows
		y0 = k.Add(firstRow, k.Min(from, k.Sub(height, stripRows)))
		inStrip = k.AndPred(inStrip, k.Compare("lt", from, height))
	} else { // the strip depends on the block alone, so that lanes agree on it
		down := k.DivU(s.block, strips)
		across = k.Sub(s.block, k.Mul(down, strips))
		y0 = k.MulAdd(down, stripRows, firstRow)
		s.rows = k.Min(stripRows, k.Sub(lastRow, y0))
		k.ReturnIf(k.CompareN("le", s.rows, 0))
		group = k.Add(k.MulN(across, stored), k.AddN(s.lane, -h))
	}
	s.out.lane = k.BelowAnd(group, groups, inStrip)

	// The group to load is wrapped around, or the nearest one that exists. Groups that do not exist affect only lanes that are not stored.
	there := func(group ptx.B32) ptx.B32 {
		wrapped := k.RemU(k.Add(group, k.Mul(groups, k.Const(ptx.Lanes))), groups)
		nearest := k.Max(k.Min(group, k.AddN(k.Add(groups, after), -1)), k.Sub(k.Const(0), before))
		return k.Select(k.CompareN("ne", wrap, 0), wrapped, nearest)
	}
	s.in.stride, s.out.stride = stride, stride
	size := 4 * s.Words
	planes := func(n int, first ptx.B64) []ptx.B64 {
		all := []ptx.B64{first}
		for range n - 1 {
			all = append(all, k.Add64(all[len(all)-1], plane))
		}
		return all
	}
	ahead := func(base []ptx.B64) []ptx.B64 {
		return planes(len(base), k.MulWide(k.Const(Prefetched), stride, base[0]))
	}
	s.loads = func(n int, first ptx.B64) (base, before []ptx.B64) {
		base = planes(n, first)
		return base, ahead(base)
	}
	own := there(group)
	s.in.base, s.in.ahead = s.loads(s.f.Planes, k.MulWideN(own, size, source))
	if s.f.Lead > 0 {
		s.in.left = planes(s.f.Planes, k.MulWideN(there(k.AddN(group, -1)), size, source))
	}
	s.out.base = planes(s.f.Planes, k.MulWide(y0, stride, k.MulWideN(group, size, target)))

	// The first row to load is wrapped into first … end-1. It may lie many universes before.
	start := k.AddN(y0, -s.Depth*s.f.Radius)
	count := k.Sub(s.in.end, s.in.first)
	turns := k.AddN(k.Div(k.Const(s.Depth*s.f.Radius), count), 1)
	around := k.Add(s.in.first, k.RemU(k.Add(start, k.Mul(turns, count)), count))
	s.in.row = k.NewB32()
	k.Move(s.in.row, k.Select(k.Compare("lt", start, s.in.first), around, start))
	if slices.ContainsFunc(s.f.Given(), func(p circuit.Parity) bool { return p.Row }) {
		s.given.row = k.Add(start, top)
		s.given.odd = k.BitMask(s.given.row, 0)
	}
	if len(s.chances) > 0 {
		var first ptx.B32 // group, where the strip does not fold
		if s.Drawn {
			first = k.AddN(k.MulN(across, stored), -h)
		}
		prepareRandom(own, first, k.Add(start, top))
	}
	s.out.row = k.NewB32()
	latency := 0
	if s.Depth > 0 {
		latency = s.Depth*s.f.Radius + s.Depth*s.f.Up + s.Depth - 1
	}
	k.Assign(s.out.row, -latency)

	if s.Plane {
		s.column = s.columnMasks(group, width)
		s.entering = k.NewB32()
		k.Move(s.entering, k.Add(start, top))
		s.height = tall
		s.inside = k.NewB32()
		k.Assign(s.inside, 0)
		left := k.AddN(k.MulN(across, stored), -h)
		last := k.Add(k.Add(start, top), k.AddN(s.rows, 2*s.Depth*s.f.Radius))
		s.interior = k.AndPred(
			k.AndPred(k.CompareN("ge", left, 0), k.Compare("le", k.MulN(k.AddN(left, ptx.Lanes), 32*s.Words), width)),
			k.AndPred(k.CompareN("ge", s.entering, 0), k.Compare("le", last, tall)),
		)
	}
	if s.f.Drifts && !s.Ring {
		s.margin = s.margins()
	}
	if s.Ring {
		s.left = k.AndN(k.AddN(s.lane, -1), ptx.Lanes-1)
		s.right = k.AndN(k.AddN(s.lane, 1), ptx.Lanes-1)
	}
	s.i = k.NewB32()
	k.Assign(s.i, 0)
	s.state()
}

// columnMasks gives, for each word of a group, the bits whose columns lie in 0 … width-1.
func (s *writer) columnMasks(group, width ptx.B32) []ptx.B32 {
	masks := s.columnsBelow(group, width)
	for j := range masks {
		masks[j] = s.k.Select(s.k.CompareN("lt", group, 0), s.k.Const(0), masks[j])
	}
	return masks
}

// columnsBelow gives, for each word of a group, the bits of columns below a limit.
func (s *writer) columnsBelow(group, limit ptx.B32) []ptx.B32 {
	k := s.k
	masks := make([]ptx.B32, s.Words)
	start := k.MulN(group, 32*s.Words)
	for j := range masks {
		// bit b is column start + b·words + j, so the first n = ⌈(limit - start - j) / words⌉ bits are below
		left := k.AddN(k.Sub(limit, start), s.Words-1-j)
		n := k.Max(k.Const(0), k.MinN(k.SarN(left, bits.Len(uint(s.Words))-1), 32))
		masks[j] = k.Not(k.Shl(k.Const(-1), n))
	}
	return masks
}

// margins gives, for each word of a lane, the bits that are farther from the sides of the strip than the radius. A program that drifts sees zeros
// elsewhere. So sums of cells up to a radius away are also zero beyond the sides.
func (s *writer) margins() []ptx.B32 {
	k := s.k
	masks := s.columnsBelow(s.number, k.Const(32*s.Words*ptx.Lanes-s.f.Radius))
	for j, near := range s.columnsBelow(s.number, k.Const(s.f.Radius)) {
		masks[j] = k.And(masks[j], k.Not(near))
	}
	return masks
}

// load reads the next row into the registers of row u of a turn.
func (s *writer) load(u int) {
	k := s.k
	i := 0
	for _, base := range append(s.in.base, s.in.left...) {
		for _, r := range k.Load(k.MulWide(s.in.row, s.in.stride, base), 0, s.Words) {
			k.Move(s.next[u][i], r)
			i++
		}
	}
	for _, base := range s.in.ahead {
		k.Prefetch(k.MulWide(s.in.row, s.in.stride, base))
	}
	s.remember()
	if s.Drawn && s.shower == nil {
		s.nextPlace(1)
	}
	k.Increase(s.in.row, 1)
	k.Move(s.in.row, k.Select(k.Compare("eq", s.in.row, s.in.end), s.in.first, s.in.row))
}

// parts is how many groups a lane loads of a row: its own and, with a lead, the one to the left.
func (s *writer) parts() int {
	if s.f.Lead > 0 {
		return 2
	}
	return 1
}

// entered is the row that was loaded ahead into the registers of row u of a turn, by plane·words + word. With a lead it is moved to the right, so that
// its columns are in place after all levels have looked to the right.
func (s *writer) entered(u int) []ptx.B32 {
	k := s.k
	var in []ptx.B32
	for p := range s.f.Planes {
		own := s.next[u][p*s.Words:]
		for j := range s.Words {
			r := k.NewB32()
			if s.f.Lead == 0 {
				k.Move(r, own[j])
			} else {
				source, q := warpprog.Split(j-s.Depth*s.f.Lead, s.Words)
				left := s.next[u][(s.f.Planes+p)*s.Words:]
				switch q {
				case 0:
					k.Move(r, own[source])
				case -32:
					k.Move(r, left[source])
				default:
					r = k.FunnelL(left[source], own[source], -q)
				}
			}
			in = append(in, r)
		}
	}
	return in
}

// store writes a finished row where it is one of the strip.
func (s *writer) store(out []ptx.B32) {
	k := s.k
	row := k.AddN(s.out.row, s.pos)
	p := k.BelowAnd(row, s.rows, s.out.lane)
	for plane, base := range s.out.base {
		k.StoreIf(p, k.MulWide(row, s.out.stride, base), 0, out[plane*s.Words:(plane+1)*s.Words]...)
	}
}
