package multispin

import (
	"math"
	"math/bits"

	"github.com/gosper-life/gosper/internal/ptx"
)

// A labeller writes the kernel that finds the clusters of many universes, each by one block in shared memory,
// and counts them by size:
//
//	cells, counts, cursor, spans
//
// The kernel joins runs of live cells within words. The run that begins in column c of word i has number 16·i + c/2,
// because no two runs begin in columns 2c and 2c+1. Each run has a slot with the number of a run of the same cluster:
// a lower one, or its own if it is a root. Therefore, the slots are a forest. All threads look at words, or parts of
// words, side by side, and join runs that touch a run of the row above or of the word to the left. To join two trees,
// a thread hangs the root with the higher number below the other one. If another thread was faster, it goes on with
// what that one has hung the root to (Komura 2015, on which Playne and Hawick built in 2018). Then the cells of each
// run are added to its root, in the bits of the root's slot above the number.
//
// Clusters of fewer cells than `small` are counted by size. There are few others, and their sizes are listed.
// All universes share one cursor, which says where the next counts are written. spans says where those of a
// universe begin, and how many they are.
//
// Runs in one word, and their numbers in it:
//
//	column     0 1 2 3 4 5 6 7
//	cells      1 1 · 1 · 1 1 ·
//	number     0     1   2
//
// A slot:
//
//	bit     31 … number             number-1 … 0
//	        cells, only in roots    a run of the same cluster
type labeller struct {
	shape
	k      *ptx.Kernel
	eight  bool
	warps  int // of a block
	parts  int // of a word, each for a thread: a power of two
	memory int // bytes that a block may have
	number int // bits of a run's number
	small  int // sizes below are counted
	listed int // clusters of other sizes there can be
	// addresses in shared memory
	slots, cells, sizes, list, length ptx.B32
}

// mostLabelWarps is the most warps of a block: as many as a block may have. It is half of that if so few universes are
// also advanced by the kernel that labels (see fused), and a lane holds more than a few words of cells: a thread then
// needs more registers.
func mostLabelWarps(s shape, universes, multiprocessors int) int {
	const most, fewWords = 32, 16
	if s.perLane() > fewWords && universes <= multiprocessors {
		return most / 2
	}
	return most
}

// Clusters of fewer cells than this are counted by size in universes of any side, because listing them takes longer.
const leastSmall = 128

// mostParts is the most parts of a word. A part has two columns, and at most one run begins in it.
const mostParts = 16

// newLabeller divides the shared memory of a block, for the given number of blocks on a multiprocessor. A block
// has one warp. It has more if there are few blocks, or if shared memory holds few: enough to keep the
// multiprocessor busy. If a block has more threads than its universe has words, threads share words.
func newLabeller(s shape, eight bool, memory, blocks, mostWarps int) *labeller {
	l := &labeller{
		shape: s, eight: eight, warps: 1, parts: 1, memory: memory, number: bits.Len(uint(16*s.perUniverse() - 1)),
		small: ptx.Lanes,
	}
	for l.small*l.small < s.w*s.h || l.small < min(leastSmall, s.w*s.h) {
		l.small += ptx.Lanes
	}
	l.listed = s.w * s.h / l.small
	const busy = 40 // warps of a multiprocessor
	blocks = max(1, min(blocks, memory/l.shared()))
	for l.warps < mostWarps && 2*l.warps*blocks <= busy && 2*l.warps*ptx.Lanes <= mostParts*s.perUniverse() {
		l.warps *= 2
	}
	for l.parts < mostParts && 2*l.parts*s.perUniverse() <= l.warps*ptx.Lanes {
		l.parts *= 2
	}
	return l
}

// shared is the bytes of shared memory a block needs: slots, cells, counts by size, the list of sizes and its length.
func (l *labeller) shared() int {
	return 4 * (17*l.perUniverse() + l.small + l.listed + 1)
}

// fits reports whether the number of a run and a number of cells fit together in a slot, and all slots in the memory.
func (l *labeller) fits() bool {
	return l.number+bits.Len(uint(l.w*l.h)) <= 32 && l.shared() <= l.memory
}

// mostCounts is the largest number of counts of a universe: of small sizes, whose sum is at most the number of cells,
// and of listed clusters.
func (l *labeller) mostCounts() int { return int(math.Sqrt(float64(2*l.w*l.h))) + l.listed }

// write adds the kernel to a module.
func (l *labeller) write(m *ptx.Module, name string) {
	k := m.Kernel(name, ptx.Lanes*l.warps, 0)
	base, counts, cursor, spans := k.Param64(), k.Param64(), k.Param64(), k.Param64()
	block, thread := l.begin(k)
	l.separate(thread)
	l.fetch(thread, l.universe(k, base, block))
	l.label(thread)
	l.leaveOne(thread)
	l.emit(k.AndN(thread, ptx.Lanes-1), block, counts, cursor, spans)
}

// begin divides the shared memory of a kernel. It returns the numbers of the block and of the thread.
func (l *labeller) begin(k *ptx.Kernel) (block, thread ptx.B32) {
	//	words     16 for each word of cells     1 for each     small     listed     1
	//	          slots                         cells          sizes     list       length
	l.k = k
	l.slots = k.Shared()
	l.cells = k.AddN(l.slots, 64*l.perUniverse())
	l.sizes = k.AddN(l.cells, 4*l.perUniverse())
	l.list = k.AddN(l.sizes, 4*l.small)
	l.length = k.AddN(l.list, 4*l.listed)
	return k.Special("ctaid.x"), k.Special("tid.x")
}

// fetch copies the cells of the universe at home to shared memory.
func (l *labeller) fetch(thread ptx.B32, home ptx.B64) {
	k := l.k
	each(k, thread, ptx.Lanes*l.warps, l.perUniverse(), func(i ptx.B32) {
		k.StoreShared(k.Add(l.cells, k.ShlN(i, 2)), 0, k.Load(k.MulWideN(i, 4, home), 0, 1)[0])
	})
}

// label finds the clusters of the cells in shared memory, whose runs are separate, counts the small ones and lists
// the others.
func (l *labeller) label(thread ptx.B32) {
	k := l.k
	l.barrier()
	zero := k.Const(0)
	each(k, thread, ptx.Lanes*l.warps, l.small, func(i ptx.B32) { k.StoreShared(k.Add(l.sizes, k.ShlN(i, 2)), 0, zero) })
	k.StoreShared(l.length, 0, zero) // all threads alike
	for _, work := range []func(i, part ptx.B32){l.join, l.measure, l.count} {
		l.eachPart(thread, work)
		l.barrier()
	}
}

// separate makes every run a root.
func (l *labeller) separate(thread ptx.B32) {
	k := l.k
	each(k, thread, ptx.Lanes*l.warps, 4*l.perUniverse(), func(i ptx.B32) {
		run := k.ShlN(i, 2)
		k.StoreShared(l.slot(run), 0, run, k.AddN(run, 1), k.AddN(run, 2), k.AddN(run, 3))
	})
}

// eachPart writes a loop over the parts of words that the threads of a block share. part has the bits of word i that
// belong to the part.
func (l *labeller) eachPart(thread ptx.B32, do func(i, part ptx.B32)) {
	k := l.k
	each(k, thread, ptx.Lanes*l.warps, l.parts*l.perUniverse(), func(i ptx.B32) {
		if l.parts == 1 {
			do(i, k.Const(-1))
			return
		}
		columns := 32 / l.parts
		first := k.MulN(k.AndN(i, uint32(l.parts-1)), columns)
		do(k.ShrN(i, bits.Len(uint(l.parts))-1), k.Shl(k.Const(1<<columns-1), first))
	})
}

// leaveOne ends all warps but the first.
func (l *labeller) leaveOne(thread ptx.B32) {
	if l.warps > 1 {
		l.k.ReturnIf(l.k.CompareN("ge", thread, ptx.Lanes))
	}
}

// barrier waits for all threads of the block.
func (l *labeller) barrier() {
	if l.warps == 1 {
		l.k.WarpBarrier()
		return
	}
	l.k.BlockBarrier()
}

// word is word i of the cells.
func (l *labeller) word(i ptx.B32) ptx.B32 {
	return l.k.LoadShared(l.k.Add(l.cells, l.k.ShlN(i, 2)), 0, 1)[0]
}

// slot is the address of a run's slot.
func (l *labeller) slot(run ptx.B32) ptx.B32 { return l.k.Add(l.slots, l.k.ShlN(run, 2)) }

// runOf returns the number of the run that contains bit x of word i, whose cells are v.
func (l *labeller) runOf(i, v, x ptx.B32) ptx.B32 {
	k := l.k
	// The run begins after the highest dead column below x, or in column 0.
	below := k.And(k.Not(v), k.Not(k.Shl(k.Const(-1), x)))
	return l.runFrom(i, k.Sub(k.Const(32), k.Clz(below)))
}

// runFrom is the run of word i that begins at bit x.
func (l *labeller) runFrom(i, x ptx.B32) ptx.B32 {
	return l.k.Add(l.k.ShlN(i, 4), l.k.ShrN(x, 1))
}

// eachStart writes a loop over the starts of runs in a part of a word whose cells are v, highest first.
func (l *labeller) eachStart(v, part ptx.B32, do func(x ptx.B32)) {
	k := l.k
	left := k.NewB32()
	k.Move(left, k.And(l.starts(v), part))
	top, end := k.NewLabel(), k.NewLabel()
	k.DivergeIf(k.CompareN("eq", left, 0), end)
	k.Place(top)
	x := k.Sub(k.Const(31), k.Clz(left))
	if l.parts == mostParts { // there is only one
		do(x)
		k.Place(end)
		return
	}
	k.Move(left, k.And(left, k.Not(k.Shl(k.Const(1), x))))
	do(x)
	k.DivergeIf(k.CompareN("ne", left, 0), top)
	k.Place(end)
}

// starts are the bits of a word at which runs begin.
func (l *labeller) starts(v ptx.B32) ptx.B32 {
	return l.k.And(v, l.k.Not(l.k.ShlN(v, 1)))
}

// join joins the runs in a part of word i with those they touch in the row above and in the word to the left. All ways
// to touch go through one loop, so that lanes whose runs touch in different ways search the forest at the same time.
func (l *labeller) join(i, part ptx.B32) {
	k := l.k
	v := l.word(i)
	skip := k.NewLabel()
	k.DivergeIf(k.CompareN("eq", k.And(v, part), 0), skip)
	y, j := l.place(k, i)
	above := k.Add(i, k.SelectN(k.CompareN("eq", y, 0), (l.h-1)*l.words, -l.words))
	first, last := k.CompareN("eq", j, 0), k.CompareN("eq", j, l.words-1)
	toLeft, toRight := k.SelectN(first, l.words-1, -1), k.SelectN(last, 1-l.words, 1)
	end := (l.w - 1) % 32                 // of the last word: its last column
	leftEnd := k.SelectN(first, end, 31)  // of the word to the left
	rightmost := k.SelectN(last, end, 31) // of this one
	up := l.word(above)
	leftWord := k.Add(i, toLeft)
	left := l.word(leftWord)
	fromLeft := k.AndN(k.Shr(left, leftEnd), 1)

	touches := []touch{
		{l.starts(k.And(v, up)), func(x ptx.B32) (word, cells, bit ptx.B32) { return above, up, x }},
		{k.And(v, fromLeft), func(ptx.B32) (word, cells, bit ptx.B32) { return leftWord, left, leftEnd }},
	}
	if l.eight {
		// Corners count where neither cell has a neighbour that joins them already.
		upLeftWord, upRightWord := k.Add(above, toLeft), k.Add(above, toRight)
		upLeft, upRight, right := l.word(upLeftWord), l.word(upRightWord), l.word(k.Add(i, toRight))
		alone := k.And(v, k.Not(up))
		before := k.Or(k.ShlN(up, 1), k.AndN(k.Shr(upLeft, leftEnd), 1)) // bit x is column x-1
		beyond := func(v, next ptx.B32) ptx.B32 {                        // bit x is column x+1
			return k.Or(k.ShrN(v, 1), k.Shl(k.AndN(next, 1), rightmost))
		}
		touches = append(touches,
			touch{k.And(alone, k.And(before, k.Not(k.Or(k.ShlN(v, 1), fromLeft)))), func(x ptx.B32) (word, cells, bit ptx.B32) {
				inside := k.CompareN("gt", x, 0)
				return k.Select(inside, above, upLeftWord), k.Select(inside, up, upLeft), k.Select(inside, k.AddN(x, -1), leftEnd)
			}},
			touch{k.And(alone, k.And(beyond(up, upRight), k.Not(beyond(v, right)))), func(x ptx.B32) (word, cells, bit ptx.B32) {
				inside := k.Compare("lt", x, rightmost)
				return k.Select(inside, above, upRightWord), k.Select(inside, up, upRight),
					k.Select(inside, k.AddN(x, 1), k.Const(0))
			}})
	}
	for n := range touches {
		touches[n].at = k.And(touches[n].at, part)
	}
	l.eachTouch(touches, func(x, word, cells, bit ptx.B32) {
		l.union(l.runOf(i, v, x), l.runOf(word, cells, bit))
	})
	k.Place(skip)
}

// touch is a way in which runs of a word touch other runs: at the bits of at, those that hold a bit of another word.
type touch struct {
	at ptx.B32
	of func(x ptx.B32) (word, cells, bit ptx.B32)
}

// eachTouch writes a loop over all bits of all touches.
func (l *labeller) eachTouch(touches []touch, do func(x, word, cells, bit ptx.B32)) {
	k := l.k
	left := make([]ptx.B32, len(touches))
	for n, t := range touches {
		left[n] = k.NewB32()
		k.Move(left[n], t.at)
	}
	remaining := func() ptx.B32 {
		all := left[0]
		for _, r := range left[1:] {
			all = k.Or(all, r)
		}
		return all
	}
	top, end := k.NewLabel(), k.NewLabel()
	k.DivergeIf(k.CompareN("eq", remaining(), 0), end)
	k.Place(top)
	x := k.Sub(k.Const(31), k.Clz(remaining()))
	bit := k.Shl(k.Const(1), x)
	// The first way that has the bit is done with now, the others in later turns.
	word, cells, at := touches[len(touches)-1].of(x)
	taken := make([]ptx.B32, len(touches)) // the bit, if the way has it
	for n := range touches {
		taken[n] = k.And(left[n], bit)
	}
	for n := len(touches) - 2; n >= 0; n-- {
		here := k.CompareN("ne", taken[n], 0)
		w, c, b := touches[n].of(x)
		word, cells, at = k.Select(here, w, word), k.Select(here, c, cells), k.Select(here, b, at)
	}
	earlier := k.Const(0)
	for n := range touches {
		k.Move(left[n], k.And(left[n], k.Not(k.And(taken[n], k.Not(earlier)))))
		earlier = k.Or(earlier, taken[n])
	}
	do(x, word, cells, at)
	k.DivergeIf(k.CompareN("ne", remaining(), 0), top)
	k.Place(end)
}

// climb moves from a run to its root. It hangs every run that it passes to the parent of that run's parent, so that
// later ways are shorter. Meanwhile, another thread may hang such a run to a lower one. That is then undone, but the
// other thread goes on to join the former parent, from which the run still descends.
func (l *labeller) climb(run ptx.B32) {
	k := l.k
	parent, top, end := k.NewB32(), k.NewLabel(), k.NewLabel()
	k.Move(parent, k.LoadShared(l.slot(run), 0, 1)[0])
	k.DivergeIf(k.Compare("eq", parent, run), end)
	k.Place(top)
	next := k.LoadShared(l.slot(parent), 0, 1)[0]
	last := k.Compare("eq", next, parent)
	k.StoreShared(l.slot(run), 0, next)
	k.Move(run, parent)
	k.Move(parent, next)
	k.DivergeUnless(last, top)
	k.Place(end)
}

// root returns the root of a run, whose slot also has a number of cells above the lowest bits.
func (l *labeller) root(run ptx.B32) ptx.B32 {
	k := l.k
	root, top := k.NewB32(), k.NewLabel()
	parent := k.NewB32()
	k.Move(parent, run)
	k.Place(top)
	k.Move(root, parent)
	k.Move(parent, k.AndN(k.LoadShared(l.slot(root), 0, 1)[0], 1<<l.number-1))
	k.DivergeIf(k.Compare("ne", parent, root), top)
	return root
}

// union joins the clusters of two runs. FetchMin puts the lower root into the slot of the higher one,
// and returns what was in the slot before:
//
//	the higher root itself     it was still a root, and both trees are now one
//	another run                another thread has hung it there in the meantime
//
// In the second case the slot now has the lower of both runs, and the other one must still be joined
// with it. Each turn of the loop looks at lower numbers, so it ends.
func (l *labeller) union(a, b ptx.B32) {
	k := l.k
	high, low := k.NewB32(), k.NewB32()
	k.Move(high, a)
	k.Move(low, b)
	top, end := k.NewLabel(), k.NewLabel()
	k.Place(top)
	l.climb(high)
	l.climb(low)
	k.DivergeIf(k.Compare("eq", high, low), end)
	greater := k.Max(high, low)
	k.Move(low, k.Min(high, low))
	k.Move(high, k.FetchMinShared(l.slot(greater), 0, low))
	// If it was still a root the two are joined. Else it hung below another run, and that one is joined instead.
	k.DivergeIf(k.Compare("ne", high, greater), top)
	k.Place(end)
}

// measure adds the cells of the runs that begin in a part of word i to their roots. No tree changes
// any more, so a root keeps its number in the lowest bits of its slot, and cells are added above them.
func (l *labeller) measure(i, part ptx.B32) {
	k := l.k
	v := l.word(i)
	l.eachStart(v, part, func(x ptx.B32) {
		// The number of ones from bit x on.
		length := k.Clz(k.Reverse(k.Not(k.Shr(v, x))))
		root := l.root(l.runFrom(i, x))
		k.AddShared(l.slot(root), 0, k.ShlN(length, l.number))
	})
}

// count counts the clusters whose roots begin in a part of word i.
func (l *labeller) count(i, part ptx.B32) {
	k := l.k
	one := k.Const(1)
	l.eachStart(l.word(i), part, func(x ptx.B32) {
		run := l.runFrom(i, x)
		slot := k.LoadShared(l.slot(run), 0, 1)[0]
		skip, large := k.NewLabel(), k.NewLabel()
		k.DivergeIf(k.Compare("ne", k.AndN(slot, 1<<l.number-1), run), skip)
		size := k.ShrN(slot, l.number)
		k.DivergeIf(k.CompareN("ge", size, l.small), large)
		k.AddShared(k.Add(l.sizes, k.ShlN(size, 2)), 0, one)
		k.Branch(skip)
		k.Place(large)
		place := k.FetchAddShared(l.length, 0, one)
		k.StoreShared(k.Add(l.list, k.ShlN(place, 2)), 0, size)
		k.Place(skip)
	})
}

// emit writes the counts that are not zero, pairs of size and clusters, by one warp.
func (l *labeller) emit(lane, block ptx.B32, counts, cursor, spans ptx.B64) {
	k := l.k
	before := k.Not(k.Shl(k.Const(-1), lane)) // the lanes before this one
	var found, there []ptx.B32
	total := k.Const(0)
	for n := 0; n < l.small; n += ptx.Lanes {
		c := k.LoadShared(k.Add(l.sizes, k.ShlN(lane, 2)), 4*n, 1)[0]
		some := k.Ballot(k.CompareN("ne", c, 0))
		found, there = append(found, c), append(there, some)
		total = k.Add(total, k.Popc(some))
	}
	length := k.LoadShared(l.length, 0, 1)[0]
	total = k.Add(total, length)
	// One lane asks for the room of all counts of the universe.
	start, others := k.NewB32(), k.NewLabel()
	k.Assign(start, 0)
	k.DivergeIf(k.CompareN("ne", lane, 0), others)
	k.Move(start, k.FetchAdd(cursor, 0, total))
	k.Store(k.MulWideN(block, 8, spans), 0, start, total)
	k.Place(others)
	place := k.ShuffleFrom(start, k.Const(0))
	for i, c := range found {
		// Lanes with a count write one after the other: each leaves room for those before it.
		at := k.Add(place, k.Popc(k.And(there[i], before)))
		k.StoreIf(k.CompareN("ne", c, 0), k.MulWideN(at, 8, counts), 0, k.AddN(lane, i*ptx.Lanes), c)
		place = k.Add(place, k.Popc(there[i]))
	}
	one, n := k.Const(1), k.NewB32()
	k.Move(n, lane)
	top, end := k.NewLabel(), k.NewLabel()
	k.Place(top)
	k.DivergeIf(k.Compare("ge", n, length), end)
	size := k.LoadShared(k.Add(l.list, k.ShlN(n, 2)), 0, 1)[0]
	k.Store(k.MulWideN(k.Add(place, n), 8, counts), 0, size, one)
	k.Increase(n, ptx.Lanes)
	k.Branch(top)
	k.Place(end)
}
