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
	base                    []ptx.B64 // by source: the lane's words of row 0
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
	a := s.readParameters()
	at := s.findStrip(&a)
	own := s.findCells(&a, &at)
	s.findRow(&at)
	if slices.ContainsFunc(s.f.Given(), func(p circuit.Parity) bool { return p.Row }) {
		s.given.row = k.Add(at.start, a.top)
		s.given.odd = k.BitMask(s.given.row, 0)
	}
	// for its program, the rows of a layer are layers: see volume.go
	if slices.ContainsFunc(s.f.Given(), func(p circuit.Parity) bool { return p.Layer }) {
		s.given.deep = k.BitMask(at.deep, 0)
	}
	if len(s.chances) > 0 {
		var first ptx.B32
		if s.Drawn {
			first = at.first(s)
		}
		a.prepareRandom(own, first, at.start)
	}
	s.out.row = k.NewB32()
	latency := 0
	if s.Depth > 0 {
		latency = s.Depth*s.f.Radius + s.Depth*s.f.Up + s.Depth - 1
	}
	k.Assign(s.out.row, -latency)
	if s.Plane {
		s.findEdges(&a, &at)
	}
	if s.f.Drifts && s.Ring == 0 {
		s.margin = s.margins()
	}
	if s.Ring > 1 {
		s.left, s.right = s.around(-1), s.around(1)
	}
	s.i = k.NewB32()
	k.Assign(s.i, 0)
	s.state()
}

// parameters are the Arguments that only the prologue needs, by the same names.
type parameters struct {
	source, target, plane       ptx.B64
	groups, before, after, wrap ptx.B32
	from, to, stripRows, strips ptx.B32
	width, top                  ptx.B32
	deep, layerRows             ptx.B32                         // of a volume only
	prepareRandom               func(own, group, start ptx.B32) // see readRandom
}

// readParameters declares the parameters, in the order of Arguments.Append.
func (s *writer) readParameters() parameters {
	k := s.k
	var a parameters
	a.source, a.target, a.plane = k.Param64(), k.Param64(), k.Param64()
	s.in.stride = k.Param32()
	s.out.stride = s.in.stride
	a.groups, a.before, a.after, a.wrap = k.Param32(), k.Param32(), k.Param32(), k.Param32()
	s.in.first, s.in.end = k.Param32(), k.Param32()
	a.from, a.to, a.stripRows, a.strips = k.Param32(), k.Param32(), k.Param32(), k.Param32()
	a.width, a.top, s.tall = k.Param32(), k.Param32(), k.Param32()
	s.scratch = k.Param64()
	if s.Volume {
		a.deep, a.layerRows = k.Param32(), k.Param32()
		next, number := k.Param32(), k.Special("ctaid.y") // of the volume in its batch
		a.source, a.target = k.MulWide(number, next, a.source), k.MulWide(number, next, a.target)
	}
	for range Turning(s.f) {
		s.given.turns = append(s.given.turns, k.Param32())
	}
	s.chances = s.f.Chances()
	a.prepareRandom = s.readRandom(a.groups, a.wrap)
	return a
}

// place is the place where a lane of a strip is.
type place struct {
	group  ptx.B32 // of the lane; it may not exist
	across ptx.B32 // where strips do not fold: which of those side by side it is
	y0     ptx.B32 // the first row of the strip
	deep   ptx.B32 // of a volume only: the row of each layer
	start  ptx.B32 // the first row to enter, not wrapped: it may lie before row 0
}

// first is the group of the first lane of a strip that does not fold.
func (at *place) first(s *writer) ptx.B32 {
	h, stored := s.Stored(s.f)
	return s.k.AddN(s.k.MulN(at.across, stored), -h)
}

// findStrip finds the warp's strip, how many rows it has and which lanes store what they make. Warps without a
// strip are done.
func (s *writer) findStrip(a *parameters) (at place) {
	k := s.k
	s.number = k.Special("tid.x")
	s.lane = s.number
	s.block = k.Special("ctaid.x")
	if n := s.BlockWarps(); n > 1 {
		s.warp = k.ShrN(s.number, 5)
		s.number = k.AndN(s.number, ptx.Lanes-1)
		s.lane = s.number
		s.block = k.MulAdd(s.block, k.Const(n), s.warp)
	}
	h, stored := s.Stored(s.f)
	inStrip := k.Below(k.AddN(s.lane, -h), k.Const(stored))
	if s.Folds(s.f) {
		// Lanes may belong to different tiers, but all go down the same number of rows, so that the compiler knows
		// that a warp's lanes agree on it. The last tier therefore ends at the last row, and may share rows with the
		// one above. Lanes beyond it have its rows too.
		tier := k.AddN(a.groups, ptx.Lanes-stored)
		n := k.Add(k.MulN(s.block, stored), s.lane)
		down := k.DivU(n, tier)
		at.group = k.AddN(k.Sub(n, k.Mul(down, tier)), -h)
		down = s.findDeep(a, &at, down)
		height, from := k.Sub(a.to, a.from), k.Mul(down, a.stripRows)
		s.rows = a.stripRows
		at.y0 = k.Add(a.from, k.Min(from, k.Sub(height, a.stripRows)))
		inStrip = k.AndPred(inStrip, k.Compare("lt", from, height))
	} else { // the strip depends on the block alone, so that lanes agree on it
		down := k.DivU(s.block, a.strips)
		at.across = k.Sub(s.block, k.Mul(down, a.strips))
		down = s.findDeep(a, &at, down)
		at.y0 = k.MulAdd(down, a.stripRows, a.from)
		s.rows = k.Min(a.stripRows, k.Sub(a.to, at.y0))
		k.ReturnIf(k.CompareN("le", s.rows, 0))
		at.group = k.Add(k.MulN(at.across, stored), k.AddN(s.lane, -h))
	}
	s.out.lane = k.BelowAnd(at.group, a.groups, inStrip)
	return at
}

// findCells finds the lane's words in memory, to read and to write. It returns the group that the lane reads:
// its own, wrapped around, or the nearest one that exists. Groups that do not exist affect only lanes that are
// not stored.
func (s *writer) findCells(a *parameters, at *place) (own ptx.B32) {
	k := s.k
	there := func(group ptx.B32) ptx.B32 {
		wrapped := k.RemU(k.Add(group, k.Mul(a.groups, k.Const(ptx.Lanes))), a.groups)
		nearest := k.Max(k.Min(group, k.AddN(k.Add(a.groups, a.after), -1)), k.Sub(k.Const(0), a.before))
		return k.Select(k.CompareN("ne", a.wrap, 0), wrapped, nearest)
	}
	planes := func(n int, first ptx.B64) []ptx.B64 {
		all := []ptx.B64{first}
		for range n - 1 {
			all = append(all, k.Add64(all[len(all)-1], a.plane))
		}
		return all
	}
	s.loads = func(n int, first ptx.B64) (base, ahead []ptx.B64) {
		if s.Volume { // rows beyond the last layer do not exist
			return planes(n, k.MulWide(at.deep, a.deep, first)), nil
		}
		base = planes(n, first)
		return base, planes(n, k.MulWide(k.Const(Prefetched), s.in.stride, base[0]))
	}
	size := 4 * s.Words
	own = there(at.group)
	if s.Volume {
		s.in.base = s.volumeRows(a, at, k.MulWideN(own, size, a.source), planes)
		first := k.MulWide(at.deep, a.deep, k.MulWideN(at.group, size, a.target))
		s.out.base = planes(s.f.Planes, k.MulWide(at.y0, s.out.stride, first))
		return own
	}
	s.in.base, s.in.ahead = s.loads(s.f.Planes, k.MulWideN(own, size, a.source))
	if s.f.Lead > 0 {
		s.in.left = planes(s.f.Planes, k.MulWideN(there(k.AddN(at.group, -1)), size, a.source))
	}
	s.out.base = planes(s.f.Planes, k.MulWide(at.y0, s.out.stride, k.MulWideN(at.group, size, a.target)))
	return own
}

// findRow finds the first row to load: the first to enter, wrapped into in.first … in.end-1. It may
// lie many universes before, if the universe has fewer rows than a pass looks at. A remainder of a
// negative number would be negative, so whole universes are added first.
func (s *writer) findRow(at *place) {
	k := s.k
	at.start = k.AddN(at.y0, -s.Depth*s.f.Radius)
	count := k.Sub(s.in.end, s.in.first)
	turns := k.AddN(k.Div(k.Const(s.Depth*s.f.Radius), count), 1)
	around := k.Add(s.in.first, k.RemU(k.Add(at.start, k.Mul(turns, count)), count))
	s.in.row = k.NewB32()
	k.Move(s.in.row, k.Select(k.Compare("lt", at.start, s.in.first), around, at.start))
}

// findEdges finds which columns and rows lie on the plane, and whether all that the strip looks at does.
func (s *writer) findEdges(a *parameters, at *place) {
	k := s.k
	s.column = s.columnMasks(at.group, a.width)
	s.entering = k.NewB32()
	k.Move(s.entering, k.Add(at.start, a.top))
	if s.Volume {
		return
	}
	s.inside = k.NewB32()
	k.Assign(s.inside, 0)
	left := at.first(s)
	last := k.Add(k.Add(at.start, a.top), k.AddN(s.rows, 2*s.Depth*s.f.Radius))
	s.interior = k.AndPred(
		k.AndPred(k.CompareN("ge", left, 0), k.Compare("le", k.MulN(k.AddN(left, ptx.Lanes), 32*s.Words), a.width)),
		k.AndPred(k.CompareN("ge", s.entering, 0), k.Compare("le", last, s.tall)),
	)
}

// columnMasks returns, for each word of a group, a mask of the bits with columns 0 … width-1.
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

// margins gives, for each word of a lane, the bits that are farther from the sides of the strip than the radius. A
// program that drifts sees zeros elsewhere, so sums of cells up to a radius away are also zero beyond the sides.
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

// parts is the number of groups a lane loads of a row: its own and, with a lead, the one to the left.
func (s *writer) parts() int {
	if s.f.Lead > 0 {
		return 2
	}
	return 1
}

// entered is the row that was loaded ahead into the registers of row u of a turn, by plane·words + word. With a
// lead it is moved to the right, so that its columns are in place after all levels have looked to the right.
func (s *writer) entered(u int) []ptx.B32 {
	k := s.k
	var in []ptx.B32
	for p := range s.sources {
		own := s.next[u][p*s.Words:]
		for j := range s.Words {
			r := k.NewB32()
			if s.f.Lead == 0 {
				k.Move(r, own[j])
			} else {
				source, q := warpprog.Split(j-s.Depth*s.f.Lead, s.Words)
				left := s.next[u][(len(s.sources)+p)*s.Words:]
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
