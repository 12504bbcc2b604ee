package cuda

// layout says which cell is which bit of a universe in a GPU's memory. Columns are interleaved: the words of a group of 32·words
// columns each hold the columns of one residue, so that a cell's neighbours mostly lie in the same place of another word:
//
//	words = 2       word 0 of group g               word 1 of group g
//	bit             0   1   2  …  31                0   1   2  …  31
//	column 64·g +   0   2   4  …  62                1   3   5  …  63
//
// A row is a number of groups and ghost groups on both sides; planes follow one another, each with ghost rows above and below:
//
//	plane   ┌────────┬──────────────────────┬────────┐  ─┬─ above
//	        │ ghosts │ row 0                │ ghosts │   │
//	        │        │  ⋮                   │        │   │
//	        └────────┴──────────────────────┴────────┘  ─┴─ below
//	        before·words words, rounded up to a line
type layout struct {
	w, h, planes  int
	words         int
	groups        int // that hold columns of the universe
	before, after int // ghost groups
	above, below  int // ghost rows
	shift         int // rows by which two copies in one buffer differ in place (chunks.go); 0: each has its own
	stride        int // bytes of a row
	margin        int // bytes of a row before group 0
}

// line is the unit in which memory is fetched.
const line = 128

func newLayout(w, h, planes, words, ghostGroups, above, below int) layout {
	l := layout{w: w, h: h, planes: planes, words: words, before: ghostGroups, after: ghostGroups, above: above, below: below}
	l.groups = (w + 32*words - 1) / (32 * words)
	l.margin = roundUp(4*words*l.before, line)
	l.stride = l.margin + roundUp(4*words*(l.groups+l.after), line)
	return l
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// planeBytes is the distance from a plane to the next.
func (l *layout) planeBytes() uint64 { return uint64(l.above+l.h+l.below+l.shift) * uint64(l.stride) }

// bytes is the size of a universe.
func (l *layout) bytes() uint64 { return uint64(l.planes) * l.planeBytes() }

// origin is the offset of group 0 of row 0 of plane 0.
func (l *layout) origin() uint64 { return uint64(l.above)*uint64(l.stride) + uint64(l.margin) }
