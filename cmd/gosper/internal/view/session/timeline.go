package session

import (
	"slices"
	"time"
)

// timeline keeps copies of the universe at some generations, so that it can go back without starting again. Later
// generations depend only on the cells of a generation. Copies of later generations therefore stay valid after going
// back, until cells or the rule are changed.
type timeline struct {
	every  uint64 // generations between two copies, at least
	copies []*snapshot
	edits  []uint64  // generations at which cells were changed, ascending: later generations depend on the change
	next   time.Time // when the next copy may be made
}

const (
	maxCopies    = 64
	copyingShare = 40 // copies take at most this part of a playing engine's time
)

// add keeps a copy. All copies together take at most the given number of bytes. When it has too many copies, it drops
// every second one. It keeps the copies of generations at which cells were changed, because only they show the cells
// before the change. If that is not enough, it drops the older half.
func (t *timeline) add(c *snapshot, most uint64) {
	i, _ := t.find(c.generation)
	t.copies = slices.Insert(t.copies, i+1, c)
	if t.fits(most) {
		return
	}
	odd := false
	t.copies = slices.DeleteFunc(t.copies, func(c *snapshot) bool {
		odd = !odd
		return !odd && !t.edited(c.generation)
	})
	if !t.fits(most) {
		t.copies = slices.Delete(t.copies, 0, len(t.copies)/2)
	}
	if n := uint64(len(t.copies)); n > 0 {
		t.every = max(2*t.every, (t.copies[n-1].generation-t.copies[0].generation)/maxCopies, 1)
	}
}

// fits reports whether the copies are within their limits.
func (t *timeline) fits(most uint64) bool {
	total := uint64(0)
	for _, c := range t.copies {
		total += c.bytes
	}
	return len(t.copies) <= maxCopies && total <= most
}

// edited reports whether cells were changed at a generation.
func (t *timeline) edited(generation uint64) bool {
	_, found := slices.BinarySearch(t.edits, generation)
	return found
}

// find returns the index of the latest copy that is not after a generation, or -1. It also reports whether the
// timeline needs another copy at that generation.
func (t *timeline) find(generation uint64) (at int, wanted bool) {
	at, _ = slices.BinarySearchFunc(t.copies, generation, func(c *snapshot, g uint64) int {
		if c.generation <= g {
			return -1
		}
		return 1
	})
	at--
	return at, at < 0 || generation-t.copies[at].generation > t.every
}

// cut drops the copies from a generation on.
func (t *timeline) cut(generation uint64) {
	t.copies = slices.DeleteFunc(t.copies, func(c *snapshot) bool { return c.generation >= generation })
	if len(t.copies) == 0 {
		t.every = 0
	}
}

// keep makes a copy of a playing universe if it is time for one, or if its cells have been changed at this generation.
func (u *universe) keep(now time.Time) {
	t, g := &u.timeline, u.engine.Generation()
	if u.info.Leaps || u.failure != "" {
		return
	}
	at, wanted := t.find(g)
	here := at >= 0 && t.copies[at].generation == g
	if here || !t.edited(g) && (!wanted || now.Before(t.next)) {
		return
	}
	if c := u.snapshotUpTo(u.terms.Copy()); c != nil {
		t.add(c, u.terms.Timeline())
	}
	t.next = now.Add(copyingShare * time.Since(now))
}

// changed drops the copies of later generations, because cells have been changed.
func (u *universe) changed() {
	t, g := &u.timeline, u.engine.Generation()
	t.cut(g)
	u.series.Cut(g)
	if n := len(t.edits); n == 0 || t.edits[n-1] != g {
		t.edits = append(t.edits, g)
	}
	u.edited, u.unkept = true, false
	if u.rival != nil {
		u.rival.Restart()
	}
}

// rewound forgets all edits after the generation to which the universe has gone back, with the copies and samples that
// follow them.
func (u *universe) rewound(generation uint64) {
	t := &u.timeline
	for n := len(t.edits); n > 0 && t.edits[n-1] > generation; n-- {
		t.cut(t.edits[n-1])
		u.series.Cut(t.edits[n-1])
		t.edits = t.edits[:n-1]
	}
}

// elsewhere reports whether Jump to a generation has to start at another generation than the present one: at
// that of a copy, or at the start.
func (u *universe) elsewhere(generation uint64) bool {
	g := u.engine.Generation()
	at, _ := u.timeline.find(generation)
	return generation < g || at >= 0 && u.timeline.copies[at].generation > g
}
