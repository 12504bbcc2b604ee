package window

import (
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
)

// course is the way of soups through a kernel: a warp fetches one, advances it pass by pass, looks at it now
// and then, tells what has become of it, and fetches the next.
type course struct {
	*writer
	parameters

	n      ptx.B32 // soups
	ox, oy ptx.B32 // where the lane looks for gliders: column and row modulo 3
	atEdge ptx.B32 // all ones in lanes with rows near the edges, else zero

	step      ptx.B32 // generations of this pass
	passes    ptx.B32
	checks    ptx.B32
	examining ptx.B32 // not 0: the soup may have settled, and this pass finds out
	hashed    ptx.B32 // of the cells after the pass before
	saved     ptx.B32 // of those that are remembered to be compared with later ones

	// The parts, in the order in which they are written.
	next, pass, advance, passed, look, kept, repeated, known, stop, outgrown, discard ptx.Label
}

// parameters are those of a kernel.
type parameters struct {
	source              ptx.B64 // soups, or records of the window before
	count               ptx.B64 // address of their number
	cursor              ptx.B64 // address of the number of the next to be fetched
	larger, largerCount ptx.B64 // records for the next window, address of their number
	out, outCount       ptx.B64 // the output, address of its number of units
	limit               ptx.B32 // most generations
}

// write adds a kernel to a module.
func write(m *ptx.Module, name string, f *warpprog.Program, w, before window, gliders, last bool) {
	k := m.Kernel(name, warps*ptx.Lanes, 0)
	p := parameters{
		source: k.Param64(), count: k.Param64(), cursor: k.Param64(), larger: k.Param64(), largerCount: k.Param64(),
		out: k.Param64(), outCount: k.Param64(), limit: k.Param32(),
	}
	c := &course{writer: newWriter(k, f, w, before, gliders, last), parameters: p}
	c.prepare()
	c.fetchSoup()
	c.advancePass()
	c.examine()
	c.tell()
}

// prepare makes the parts that are the same for all soups: the registers and the labels.
func (c *course) prepare() {
	k := c.k
	c.n = k.LoadChanging(c.count, 0, 1)[0]
	c.ox = k.RemU(c.lane, k.Const(3))
	c.oy = k.RemU(k.DivU(c.lane, k.Const(3)), k.Const(3))
	inside := k.AndPred(k.CompareN("ge", c.row0, margin), k.CompareN("le", c.row0, c.side()-margin-int(c.window)))
	c.atEdge = k.Not(c.word(inside))
	for _, register := range []*ptx.B32{&c.step, &c.examining, &c.hashed, &c.saved, &c.checks, &c.passes} {
		*register = k.NewB32()
	}
	for _, label := range []*ptx.Label{
		&c.next, &c.pass, &c.advance, &c.passed, &c.look, &c.kept, &c.repeated, &c.discard, &c.stop, &c.outgrown, &c.known,
	} {
		*label = k.NewLabel()
	}
}

// fetchSoup fetches the next soup; without one the warp is done.
func (c *course) fetchSoup() {
	k := c.k
	k.Place(c.next)
	i := c.fetch(c.cursor, k.Const(1))
	k.ReturnIf(k.Compare("ge", i, c.n))
	if c.before == 0 {
		c.begin(c.source, i)
	} else {
		c.resume(c.source, i)
	}
	k.Assign(c.hashed, 0)
	k.Assign(c.saved, -1) // not that of dead cells
	k.Assign(c.checks, 0)
	k.Assign(c.passes, 0)
	k.Assign(c.examining, 0)
	k.Assign(c.leaving, 0)
}

// advancePass advances the soup by a pass and decides what comes next: another pass, a pass that checks whether the
// soup has settled, or the end.
func (c *course) advancePass() {
	k := c.k
	k.Place(c.pass)
	k.Assign(c.step, 0)
	k.Place(c.advance)
	c.generation()
	k.Increase(c.step, 1)
	k.BranchIf(k.CompareN("ne", c.examining, 0), c.repeated)
	k.BranchIf(k.CompareN("lt", c.step, passGenerations), c.advance)
	k.Place(c.passed)
	k.Increase(c.generations, passGenerations)
	k.Increase(c.passes, 1)
	now := c.hash()
	same := c.everywhere(k.Compare("eq", now, c.hashed))
	k.Move(c.hashed, now)
	k.Assign(c.examining, 0)
	c.check()
	k.Place(c.kept)
	if c.gliders {
		c.intrusion(c.discard)
	}
	k.BranchUnless(same, c.pass)
	// It may have settled.
	k.Assign(c.examining, 1)
	c.copyTo(c.nowAt())
	c.copyTo(c.everAt())
	k.Branch(c.pass)
}

// check looks at the soup every few passes, and whenever it is near the edges: for gliders that leave, whether
// it is in a state that was remembered, and whether it has had its time.
func (c *course) check() {
	k := c.k
	due := k.CompareN("eq", k.AndN(c.passes, passesOfCheck-1), 0)
	k.BranchIf(due, c.look)
	k.BranchUnless(c.atMargin(c.atEdge), c.kept)
	k.Place(c.look)
	if c.gliders {
		c.strike(c.ox, c.oy, c.discard)
	}
	k.BranchIf(c.atMargin(c.atEdge), c.outgrown)
	k.BranchUnless(due, c.kept)
	k.BranchIf(c.everywhere(k.Compare("eq", c.hashed, c.saved)), c.known)
	// The remembered state is renewed every checksOfSave checks. A soup whose period examine does not try returns to it.
	k.Increase(c.checks, 1)
	over := k.NewLabel()
	k.BranchIf(k.CompareN("ne", k.AndN(c.checks, checksOfSave-1), 0), over)
	k.Move(c.saved, c.hashed)
	k.Place(over)
	k.Assign(c.status, unfinished)
	k.BranchIf(k.Compare("ge", c.generations, c.limit), c.stop)
}

// examine looks at each generation of a soup that may have settled: it has when the cells come back.
func (c *course) examine() {
	k := c.k
	k.Place(c.repeated)
	c.remember()
	k.BranchIf(k.CompareN("ne", k.AndN(c.step, 3), 2), c.advance) // periods are 2 or 6, or divide these
	returned := c.returned()
	more := k.NewLabel()
	k.BranchUnless(returned, more)
	k.Assign(c.status, settled)
	if c.last {
		short := k.NewLabel()
		k.BranchIf(k.CompareN("eq", k.AndN(c.leaving, 1<<leavingBit), 0), short)
		k.Assign(c.status, settledLeft)
		c.emit(c.out, c.outCount, headerWords, c.everAt(), c.nowAt(), c.everAt())
		k.Branch(c.next)
		k.Place(short)
	}
	c.emit(c.out, c.outCount, shortHeader, c.everAt(), c.nowAt(), c.everAt())
	k.Branch(c.next)
	k.Place(more)
	k.BranchIf(k.CompareN("lt", c.step, passGenerations), c.advance)
	k.Branch(c.passed)
}

// tell reports the fate of a soup that has not settled.
func (c *course) tell() {
	k := c.k
	k.Place(c.known)
	k.Assign(c.status, returning)
	k.Place(c.stop)
	c.copyTo(c.nowAt())
	c.emit(c.out, c.outCount, headerWords, c.nowAt(), c.nowAt())
	k.Branch(c.next)

	k.Place(c.outgrown)
	if c.last {
		k.Assign(c.status, unfinished)
		k.Branch(c.stop)
	} else {
		k.Assign(c.status, growing)
		c.copyTo(c.nowAt())
		address := k.MulWideN(c.fetch(c.largerCount, k.Const(1)), 4*(headerWords+c.words()), c.larger)
		c.finish(address, c.zero, headerWords)
		c.write(address, 4*headerWords, c.nowAt(), c.lane)
		k.Branch(c.next)
	}

	k.Place(c.discard)
	k.Assign(c.status, again)
	c.finish(k.MulWideN(c.fetch(c.outCount, k.Const(shortHeader/unit)), 4*unit, c.out), c.zero, shortHeader)
	k.Branch(c.next)
}
