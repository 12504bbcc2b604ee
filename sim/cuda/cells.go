package cuda

import (
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/topology"
)

// bitOf finds a column, 0 or more: the offset of its word from group 0, in words, and its bit.
func bitOf(k *ptx.Kernel, x ptx.B32, words int) (word, bit ptx.B32) {
	shift := log2(words)
	group := k.ShrN(x, 5+shift)
	word = k.Add(k.ShlN(group, shift), k.AndN(x, uint32(words-1)))
	return word, k.AndN(k.ShrN(x, shift), 31)
}

// validBits are the bits of word j of a group that stand for columns below width.
func validBits(k *ptx.Kernel, group, j, width ptx.B32, words int) ptx.B32 {
	left := k.Sub(k.Sub(width, k.MulN(group, 32*words)), j)
	n := k.Max(k.Const(0), k.MinN(k.SarN(k.AddN(left, words-1), log2(words)), 32))
	return k.Not(k.Shl(k.Const(-1), n))
}

// writePopulation adds the kernel that counts the cells not in state 0:
//
//	base, plane, stride, rowWords, width, height, result
//
// A block takes every gridX-th row.
func writePopulation(m *ptx.Module, planes, words int) {
	k := m.Kernel("population", lanes, 0)
	base, plane := k.Param64(), k.Param64()
	stride, rowWords, width, height := k.Param32(), k.Param32(), k.Param32(), k.Param32()
	result := k.Param64()
	lane := k.Special("tid.x")
	row := k.NewB32()
	k.Move(row, k.Special("ctaid.x"))
	blocks := k.Special("nctaid.x")
	total := k.NewB64()
	k.Assign64(total, 0)

	nextRow, end := k.NewLabel(), k.NewLabel()
	k.Place(nextRow)
	k.BranchUnless(k.Compare("lt", row, height), end)
	word := k.NewB32()
	k.Move(word, lane)
	nextWord, endOfRow := k.NewLabel(), k.NewLabel()
	k.Place(nextWord)
	k.DivergeIf(k.Compare("ge", word, rowWords), endOfRow)
	at := k.MulWide(row, stride, k.MulWideN(word, 4, base))
	var live ptx.B32
	for p := range planes {
		if p > 0 {
			at = k.Add64(at, plane)
		}
		v := k.Load(at, 0, 1)[0]
		if p == 0 {
			live = v
		} else {
			live = k.Or(live, v)
		}
	}
	valid := validBits(k, k.ShrN(word, log2(words)), k.AndN(word, uint32(words-1)), width, words)
	k.Increase64(total, k.Wide(k.Popc(k.And(live, valid))))
	k.Increase(word, lanes)
	k.Branch(nextWord)
	k.Place(endOfRow)
	k.Move(row, k.Add(row, blocks))
	k.Branch(nextRow)
	k.Place(end)
	k.AddAtomic(result, total)
}

// writeSoup adds the kernel that fills rows with a soup (see package soup) and clears the planes above the first:
//
//	base, plane, stride, rowWords, width, height, seed, limit, firstIndex
//
// limit is the soup's threshold, firstIndex the index of the cell (0, 0). A block takes every gridX-th row.
func writeSoup(m *ptx.Module, planes, words int) {
	k := m.Kernel("soup", lanes, 0)
	base, plane := k.Param64(), k.Param64()
	stride, rowWords, width, height := k.Param32(), k.Param32(), k.Param32(), k.Param32()
	seed, limit, firstIndex := k.Param64(), k.Param64(), k.Param64()
	lane := k.Special("tid.x")
	row := k.NewB32()
	k.Move(row, k.Special("ctaid.x"))
	blocks := k.Special("nctaid.x")
	golden := k.Const64(0x9E3779B97F4A7C15)
	first, second := k.Const64(0xBF58476D1CE4E5B9), k.Const64(0x94D049BB133111EB)

	nextRow, end := k.NewLabel(), k.NewLabel()
	k.Place(nextRow)
	k.BranchUnless(k.Compare("lt", row, height), end)
	word := k.NewB32()
	k.Move(word, lane)
	nextWord, endOfRow := k.NewLabel(), k.NewLabel()
	k.Place(nextWord)
	k.DivergeIf(k.Compare("ge", word, rowWords), endOfRow)
	group, j := k.ShrN(word, log2(words)), k.AndN(word, uint32(words-1))
	column := k.Add(k.MulN(group, 32*words), j)
	index := k.Add64(firstIndex, k.Add64(k.Mul64(k.Wide(row), k.Wide(width)), k.Wide(column)))
	z, step := k.NewB64(), k.NewB64()
	k.Move64(z, k.Add64(seed, k.Mul64(k.Add64N(index, 1), golden)))
	k.Move64(step, k.Mul64(golden, k.Const64(uint64(words))))
	cells, bit := k.NewB32(), k.NewB32()
	k.Assign(cells, 0)
	k.Assign(bit, 1)
	nextBit := k.NewLabel()
	k.Place(nextBit)
	v := k.Mul64(k.Xor64(z, k.Shr64N(z, 30)), first)
	v = k.Mul64(k.Xor64(v, k.Shr64N(v, 27)), second)
	v = k.Xor64(v, k.Shr64N(v, 31))
	alive := k.Below64(k.Shr64N(v, 11), limit)
	k.Move(cells, k.Select(alive, k.Or(cells, bit), cells))
	k.Increase64(z, step)
	k.Move(bit, k.ShlN(bit, 1))
	k.DivergeIf(k.CompareN("ne", bit, 0), nextBit)

	at := k.MulWide(row, stride, k.MulWideN(word, 4, base))
	k.Store(at, 0, k.And(cells, validBits(k, group, j, width, words)))
	for p := 1; p < planes; p++ {
		at = k.Add64(at, plane)
		k.Store(at, 0, k.Const(0))
	}
	k.Increase(word, lanes)
	k.Branch(nextWord)
	k.Place(endOfRow)
	k.Move(row, k.Add(row, blocks))
	k.Branch(nextRow)
	k.Place(end)
}

// writeGhosts adds the kernel that copies the cells beyond the edges from where the topology folds them to. One thread makes a
// word; block row y is the plane.
//
//	base, plane, stride, words, firstRow, rows, leftWords, rightFrom, perRow, width, height, shift, reach
//
// Words of a row are made from -leftWords to -1 and from rightFrom on, perRow in all; cells farther out than reach stay as they
// are.
func writeGhosts(m *ptx.Module, t topology.Topology, words int) {
	k := m.Kernel("ghosts", lanes, 0)
	base, plane := k.Param64(), k.Param64()
	stride := k.Param32()
	firstRow, rows := k.Param32(), k.Param32()
	leftWords, rightFrom, perRow := k.Param32(), k.Param32(), k.Param32()
	width, height, shift, reach := k.Param32(), k.Param32(), k.Param32(), k.Param32()

	index := k.MulAdd(k.Special("ctaid.x"), k.Const(lanes), k.Special("tid.x"))
	line := k.DivU(index, perRow)
	k.ReturnIf(k.Compare("ge", line, rows))
	y := k.Add(firstRow, line)
	item := k.Sub(index, k.Mul(line, perRow))
	isLeft := k.Compare("lt", item, leftWords)
	word := k.Select(isLeft, k.Sub(item, leftWords), k.Add(k.Sub(item, leftWords), rightFrom))
	origin := k.Add64(base, k.Mul64(k.Wide(k.Special("ctaid.y")), plane))
	target := k.MulWide(y, stride, k.MulWideN(word, 4, origin))

	cells, x, bit := k.NewB32(), k.NewB32(), k.NewB32()
	k.Move(cells, k.LoadChanging(target, 0, 1)[0])
	group := k.SarN(word, log2(words))
	k.Move(x, k.Add(k.MulN(group, 32*words), k.AndN(word, uint32(words-1))))
	k.Assign(bit, 1)
	top, next := k.NewLabel(), k.NewLabel()
	k.Place(top)
	rowInside := k.Below(y, height)
	k.DivergeIf(k.BelowAnd(x, width, rowInside), next)
	k.DivergeIf(k.Compare("ge", k.Sub(x, width), reach), next)
	k.DivergeIf(k.Compare("ge", k.Sub(k.Const(-1), x), reach), next)
	fx, fy := fold(k, t, x, y, width, height, shift)
	from, at := bitOf(k, fx, words)
	source := k.LoadChanging(k.MulWide(fy, stride, k.MulWideN(from, 4, origin)), 0, 1)[0]
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
