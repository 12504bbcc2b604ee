package patches

import "github.com/gosper-life/gosper/internal/ptx"

// exchange writes the code by which a patch gives its neighbours the cells at its edges, and takes theirs. In
// the GPU's memory patches follow each other, in two copies. A patch has a number of 64 bits for each word of
// its first and last rows, and one for each row and plane with the cells at its sides:
//
//	first rows   reach rows of all words of all planes
//	last rows    the same
//	sides        plane by plane row 0 of lanes 0 … 31, row 1 of lanes 0 … 31, …
//	             bits 0 … 15: the first columns of the patch, word by word; bits 16 … 31: the last ones
//
// First rows are read by the patch above, last rows by the patch below, and sides by the patches to the left and
// right and, for the corners, by those above and below them. Few lanes hold the rows at an edge, so the lanes put all
// rows into shared memory, share the work of writing some and reading others, and fetch the rows again.
type exchange struct {
	*writer
	count       ptx.B32   // of exchanges so far: the tag
	copyBytes   ptx.B32   // of all patches
	own         ptx.B64   // where the lane's numbers of its patch are
	above       ptx.B64   // the last rows of the patch above,
	below       ptx.B64   // and the first rows of the patch below
	left, right ptx.B64   // where the columns of patches begin to the left and to the right
	from        []ptx.B32 // by row of the lane: how many bytes after the beginning of a column its sides are
	shared      ptx.B32   // where the lane's rows are in shared memory
	edges       [2]edge   // at the top and at the bottom
}

// edge is the place where the lane's share of the words at an edge lies in shared memory: inside the patch, and
// around it.
type edge struct{ inside, around []ptx.B32 }

// mostPolls is the number of times that a patch looks for the cells of its neighbours before it gives up, for
// some seconds.
const mostPolls = 1 << 24

// edgeWords is the number of words of the first rows, or of the last.
func (p Plan) edgeWords(planes, reach int) int { return reach * p.Words * planes }

// sidesAt is the place where the sides of a patch are, in bytes.
func (s *writer) sidesAt() int { return 2 * tagged * s.edgeWords(s.f.Planes, s.reach) }

// newExchange finds where the neighbours of a patch write, and which words at the edges each lane
// gives and takes.
func (s *writer) newExchange(memory ptx.B64, exchanges, across, down, patchRow, patchColumn, height ptx.B32) *exchange {
	k, size := s.k, s.patchBytes(s.f)
	e := &exchange{writer: s, count: k.NewB32()}
	k.Move(e.count, exchanges)
	e.copyBytes = k.MulN(k.Mul(across, down), size)
	lanes := k.MulWideN(s.lane, tagged, memory)
	beside := func(i, n ptx.B32, by int) ptx.B32 { return k.RemU(k.Add(k.AddN(i, by), n), n) }
	above, below := beside(patchRow, down, -1), beside(patchRow, down, 1)
	patch := func(row ptx.B32) ptx.B64 { return k.MulWideN(k.MulAdd(row, across, patchColumn), size, lanes) }
	e.own, e.below = patch(patchRow), patch(below)
	e.above = k.Add64N(patch(above), int64(tagged*s.edgeWords(s.f.Planes, s.reach)))
	column := func(by int) ptx.B64 { return k.MulWideN(beside(patchColumn, across, by), size, memory) }
	e.left, e.right = column(-1), column(1)

	heightAbove := k.Sub(k.DivU(k.Mul(k.AddN(above, 1), height), down), k.DivU(k.Mul(above, height), down))
	for i := range s.Rows {
		row := k.AddN(s.row0, i)
		isAbove, isBelow := k.CompareN("lt", row, s.reach), k.Compare("ge", k.AddN(row, -s.reach), s.tall)
		patch := k.Select(isAbove, above, k.Select(isBelow, below, patchRow))
		there := k.Select(isAbove, k.Add(row, heightAbove), k.Select(isBelow, k.Sub(row, s.tall), row))
		e.from = append(e.from, k.MulAdd(s.place(there), k.Const(tagged), k.MulN(k.Mul(patch, across), size)))
	}
	warp := k.MulAdd(k.ShrN(k.Special("tid.x"), 5), k.Const(s.SharedBytes(s.f)), k.Shared())
	e.shared = k.MulAdd(s.lane, k.Const(4*s.Words), warp)
	for n := 0; n < s.edgeWords(s.f.Planes, s.reach); n += ptx.Lanes {
		word := k.MinN(k.AddN(s.lane, n), s.edgeWords(s.f.Planes, s.reach)-1) // plane by plane, row by row
		perPlane := s.reach * s.Words
		plane := k.DivU(word, k.Const(perPlane))
		rest := k.Sub(word, k.MulN(plane, perPlane))
		row := k.DivU(rest, k.Const(s.Words))
		at := func(row ptx.B32) ptx.B32 {
			group := k.MulAdd(plane, k.Const(ptx.Lanes*s.Rows), s.place(row))
			return k.MulAdd(k.Add(k.MulN(group, s.Words), k.AndN(rest, uint32(s.Words-1))), k.Const(4), warp)
		}
		top, bottom := &e.edges[0], &e.edges[1]
		top.around, top.inside = append(top.around, at(row)), append(top.inside, at(k.AddN(row, s.reach)))
		bottom.inside, bottom.around = append(bottom.inside, at(k.Add(row, s.tall))),
			append(bottom.around, at(k.AddN(k.Add(row, s.tall), s.reach)))
	}
	return e
}

// place is the number of a row of the frame where row 0 of all lanes comes first, then row 1, and so on.
func (s *writer) place(row ptx.B32) ptx.B32 {
	k := s.k
	lane := k.DivU(row, k.Const(s.Rows))
	return k.MulAdd(k.Sub(row, k.MulN(lane, s.Rows)), k.Const(ptx.Lanes), lane)
}

// slot is the place where words of a plane of a row of the lane lie in shared memory, in bytes after e.shared.
func (e *exchange) slot(plane, i int) int { return 4 * e.Words * ptx.Lanes * (plane*e.Rows + i) }

// run exchanges the cells.
func (e *exchange) run() {
	k := e.k
	k.Increase(e.count, 1)
	// The two copies take turns. A patch may be one exchange ahead of a neighbour, which then still reads the other
	// copy.
	start := k.Mul(k.AndN(e.count, 1), e.copyBytes)
	e.give(k.Wide(start))
	e.take(start)
}

// eachShare calls do for every word of the lane's share of an edge, with its number and the lanes that have one.
func (e *exchange) eachShare(do func(n int, p ptx.Pred)) {
	words := e.edgeWords(e.f.Planes, e.reach)
	for n := range e.edges[0].inside {
		do(n, e.k.CompareN("lt", e.lane, words-n*ptx.Lanes))
	}
}

// give writes the edges.
func (e *exchange) give(start ptx.B64) {
	k, to := e.k, e.k.Add64(e.own, start)
	turns := make([]ptx.B32, e.Words) // that bring the last columns to their place in the sides
	for j := range turns {
		turns[j] = k.AddN(e.wide, -MostReach-j*e.beside)
	}
	first, last := e.sideMasks()
	for i, cells := range e.cells {
		within := k.Below(k.AddN(e.row0, i-e.reach), e.tall)
		for plane := range e.f.Planes {
			words := cells[plane*e.Words:][:e.Words]
			k.StoreShared(e.shared, e.slot(plane, i), words...)
			var sides ptx.B32
			for j, c := range words {
				a, b := e.shifted(c, e.beside-j*e.beside), k.FunnelRBy(c, c, turns[j])
				if j == 0 {
					sides = k.And(a, first[j])
				} else {
					sides = k.Lop3(andOr, a, first[j], sides)
				}
				sides = k.Lop3(andOr, b, last[j], sides)
			}
			k.StoreTaggedIf(within, to, e.sidesAt()+tagged*ptx.Lanes*(plane*e.Rows+i), k.Pair(sides, e.count))
		}
	}
	k.WarpBarrier()
	for side, edge := range e.edges {
		e.eachShare(func(n int, p ptx.Pred) {
			word := k.LoadShared(edge.inside[n], 0, 1)[0]
			offset := tagged * (side*e.edgeWords(e.f.Planes, e.reach) + n*ptx.Lanes)
			k.StoreTaggedIf(p, to, offset, k.Pair(word, e.count))
		})
	}
}

// shifted is a >> n; n may be negative.
func (e *exchange) shifted(a ptx.B32, n int) ptx.B32 {
	switch {
	case n > 0:
		return e.k.ShrN(a, n)
	case n < 0:
		return e.k.ShlN(a, -n)
	}
	return a
}

// Tables of three inputs.
const (
	andOr    = 0xEA // a and b, or c
	choose   = 0xCA // where a: b, else c
	differOr = 0xBE // a xor b, or c
)

// sideMasks are, by word, where the first and the last columns lie in the sides.
func (e *exchange) sideMasks() (first, last []ptx.B32) {
	for j := range e.Words {
		mask := 1<<e.beside - 1
		first, last = append(first, e.k.Const(mask<<(j*e.beside))), append(last, e.k.Const(mask<<(MostReach+j*e.beside)))
	}
	return first, last
}

// read is a number that some neighbour writes.
type read struct {
	from   ptx.B64
	offset int
	there  ptx.Pred // in which lanes
	word   ptx.B32
}

// take reads the edges of the neighbours into the frame, as soon as all of them have been written.
func (e *exchange) take(start ptx.B32) {
	k, copyStart := e.k, e.k.Wide(start)
	var reads []*read
	add := func(p ptx.Pred, from ptx.B64, offset int) *read {
		r := &read{from: from, offset: offset, there: p, word: k.NewB32()}
		reads = append(reads, r)
		return r
	}
	var rows [2][]*read
	for side, from := range []ptx.B64{k.Add64(e.above, copyStart), k.Add64(e.below, copyStart)} {
		e.eachShare(func(n int, p ptx.Pred) { rows[side] = append(rows[side], add(p, from, tagged*n*ptx.Lanes)) })
	}
	left, right := make([][]*read, e.Rows), make([][]*read, e.Rows) // by row of the lane and plane
	for i := range e.Rows {
		there := k.Below(k.AddN(e.row0, i), k.AddN(e.tall, 2*e.reach))
		from := k.Wide(k.Add(e.from[i], start))
		l, r := k.Add64(e.left, from), k.Add64(e.right, from)
		for plane := range e.f.Planes {
			offset := e.sidesAt() + tagged*ptx.Lanes*plane*e.Rows
			left[i], right[i] = append(left[i], add(there, l, offset)), append(right[i], add(there, r, offset))
		}
	}
	e.wait(reads)

	for side, edge := range e.edges {
		e.eachShare(func(n int, p ptx.Pred) { k.StoreSharedIf(p, edge.around[n], 0, rows[side][n].word) })
	}
	k.WarpBarrier()
	mask := k.Const(1<<e.beside - 1)
	place := k.AddN(e.wide, e.beside) // of the columns to the right
	maskRight := k.Shl(mask, place)
	for i, cells := range e.cells {
		for plane := range e.f.Planes {
			for j, c := range k.LoadShared(e.shared, e.slot(plane, i), e.Words) {
				c = k.Lop3(choose, mask, e.shifted(left[i][plane].word, MostReach+j*e.beside), c)
				r := right[i][plane].word
				c = k.Lop3(choose, maskRight, k.FunnelRBy(r, r, k.Sub(k.Const(j*e.beside), place)), c)
				k.Move(cells[plane*e.Words+j], c)
			}
		}
	}
}

// wait reads until all numbers have the tag of this exchange. It reads all of them in each round,
// since they arrive together: separate loops would wait for the memory once for each number.
func (e *exchange) wait(reads []*read) {
	k := e.k
	polls, again := k.NewB32(), k.NewLabel()
	k.Assign(polls, 0)
	k.Place(again)
	k.Increase(polls, 1)
	k.Trap(k.CompareN("gt", polls, mostPolls))
	numbers := make([]ptx.B64, len(reads))
	for i, r := range reads {
		numbers[i] = k.NewB64()
		// Lanes that read nothing keep this number, whose tag is right.
		k.Move64(numbers[i], k.Pair(e.count, e.count))
		k.LoadTaggedIf(r.there, numbers[i], r.from, r.offset)
	}
	missing := k.Const(0)
	for i, r := range reads {
		word, tag := k.Halves(numbers[i])
		k.Move(r.word, word)
		missing = k.Lop3(differOr, tag, e.count, missing)
	}
	k.BranchIf(k.CompareN("ne", k.Ballot(k.CompareN("ne", missing, 0)), 0), again)
}
