package cells

import (
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/topology"
)

// writeHalo adds the kernel that copies cells to their places beyond the edges, as the topology says. One
// thread makes a word; block row y is the plane.
//
//	target, source, plane, sourcePlane, stride, firstRow, rows, leftWords, rightFrom, perRow, width, height, shift, reach
//
// target and source are where row 0 begins, of the cells to make and of those to copy. Words of a row are made
// from -leftWords to -1 and from rightFrom on, perRow in all; cells farther out than reach stay as they are.
func writeHalo(m *ptx.Module, t topology.Topology, words int) {
	k := m.Kernel("halo", ptx.Lanes, 0)
	to, from, plane, sourcePlane := k.Param64(), k.Param64(), k.Param64(), k.Param64()
	stride := k.Param32()
	firstRow, rows := k.Param32(), k.Param32()
	leftWords, rightFrom, perRow := k.Param32(), k.Param32(), k.Param32()
	width, height, shift, reach := k.Param32(), k.Param32(), k.Param32(), k.Param32()

	index := k.MulAdd(k.Special("ctaid.x"), k.Const(ptx.Lanes), k.Special("tid.x"))
	line := k.DivU(index, perRow)
	k.ReturnIf(k.Compare("ge", line, rows))
	y := k.Add(firstRow, line)
	item := k.Sub(index, k.Mul(line, perRow))
	isLeft := k.Compare("lt", item, leftWords)
	word := k.Select(isLeft, k.Sub(item, leftWords), k.Add(k.Sub(item, leftWords), rightFrom))
	number := k.Wide(k.Special("ctaid.y"))
	target := k.MulWide(y, stride, k.MulWideN(word, 4, k.Add64(to, k.Mul64(number, plane))))
	origin := k.Add64(from, k.Mul64(number, sourcePlane))

	cells, x, bit := k.NewB32(), k.NewB32(), k.NewB32()
	k.Move(cells, k.LoadChanging(target, 0, 1)[0])
	group := k.SarN(word, log2(words))
	// x is the column of bit 0. Those of the next bits are the number of words of a group apart, see Layout.
	k.Move(x, k.Add(k.MulN(group, 32*words), k.AndN(word, uint32(words-1))))
	k.Assign(bit, 1)
	top, next := k.NewLabel(), k.NewLabel()
	k.Place(top)
	rowInside := k.Below(y, height)
	k.DivergeIf(k.BelowAnd(x, width, rowInside), next)
	k.DivergeIf(k.Compare("ge", k.Sub(x, width), reach), next)
	k.DivergeIf(k.Compare("ge", k.Sub(k.Const(-1), x), reach), next)
	fx, fy := fold(k, t, x, y, width, height, shift)
	holder, at := bitOf(k, fx, words)
	source := k.LoadChanging(k.MulWide(fy, stride, k.MulWideN(holder, 4, origin)), 0, 1)[0]
	isSet := k.CompareN("ne", k.AndN(k.Shr(source, at), 1), 0)
	k.Move(cells, k.Select(isSet, k.Or(cells, bit), k.And(cells, k.Not(bit))))
	k.Place(next)
	k.Move(x, k.AddN(x, words))
	k.Move(bit, k.ShlN(bit, 1))
	k.DivergeIf(k.CompareN("ne", bit, 0), top)
	k.Store(target, 0, cells)
}

// fold is topology.Fold for the kinds of universe that are closed.
func fold(k *ptx.Kernel, t topology.Topology, x, y, width, height, shift ptx.B32) (fx, fy ptx.B32) {
	divide := func(v, n ptx.B32) (crossings, rest ptx.B32) {
		// Columns and rows beyond the left and upper edges are negative. The quotient is rounded down for these, too.
		q := k.Div(v, n)
		r := k.Sub(v, k.Mul(q, n))
		negative := k.CompareN("lt", r, 0)
		return k.Select(negative, k.AddN(q, -1), q), k.Select(negative, k.Add(r, n), r)
	}
	rest := func(v, n ptx.B32) ptx.B32 {
		_, r := divide(v, n)
		return r
	}
	odd := func(v ptx.B32) ptx.Pred { return k.CompareN("ne", k.AndN(v, 1), 0) }
	mirror := func(v, n ptx.B32) ptx.B32 { return k.Sub(k.AddN(n, -1), v) }

	if t.Kind == topology.Sphere {
		n, twice := width, k.ShlN(width, 1)
		x, y = rest(x, twice), rest(y, twice)
		right, below := k.Compare("ge", x, n), k.Compare("ge", y, n)
		mx, my := k.Sub(k.AddN(twice, -1), x), k.Sub(k.AddN(twice, -1), y)
		// (x, y), right (y, mx), below (my, x), both (mx, my)
		fx = k.Select(below, k.Select(right, mx, my), k.Select(right, y, x))
		fy = k.Select(below, k.Select(right, my, x), k.Select(right, mx, y))
		return fx, fy
	}
	crossX, x := divide(x, width)
	crossY, y := divide(y, height)
	switch t.Kind {
	case topology.Torus:
		switch t.Axis {
		case topology.Horizontal:
			x = rest(k.Add(x, k.Mul(crossY, shift)), width)
		case topology.Vertical:
			y = rest(k.Add(y, k.Mul(crossX, shift)), height)
		}
	case topology.Klein:
		if t.Twist == topology.Horizontal {
			x = k.Select(odd(crossY), rest(k.Sub(mirror(x, width), shift), width), x)
		} else {
			y = k.Select(odd(crossX), rest(k.Sub(mirror(y, height), shift), height), y)
		}
	case topology.Cross:
		turnedX := k.Select(odd(crossY), mirror(x, width), x)
		y = k.Select(odd(crossX), mirror(y, height), y)
		x = turnedX
	}
	return x, y
}
