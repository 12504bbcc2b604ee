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
func (l *layout) planeBytes() uint64 { return uint64(l.above+l.h+l.below) * uint64(l.stride) }

// bytes is the size of a universe.
func (l *layout) bytes() uint64 { return uint64(l.planes) * l.planeBytes() }

// origin is the offset of group 0 of row 0 of plane 0.
func (l *layout) origin() uint64 { return uint64(l.above)*uint64(l.stride) + uint64(l.margin) }

// unpack stores the w cells of a row, packed as in grid.Grid, from its groups; row begins at group 0.
func (l *layout) unpack(cells []uint64, row []uint32) {
	switch l.words {
	case 1:
		for i := range cells {
			cells[i] = uint64(row[2*i])
			if 2*i+1 < l.groups {
				cells[i] |= uint64(row[2*i+1]) << 32
			}
		}
	default:
		clear(cells)
		per := 32 * l.words // columns of a group, 64 or 128
		for g := range l.groups {
			for j := range l.words {
				v := row[g*l.words+j]
				for half := range per / 64 {
					if i := g*per/64 + half; i < len(cells) {
						bits := 64 / l.words // of the word that lie in this half
						part := uint64(v) >> (half * bits) & (1<<bits - 1)
						cells[i] |= spread(part, l.words) << j
					}
				}
			}
		}
	}
	if spare := uint(-l.w) & 63; spare > 0 {
		cells[len(cells)-1] = cells[len(cells)-1] << spare >> spare
	}
}

// pack is the inverse of unpack. Bits of the last group beyond column w become zero.
func (l *layout) pack(row []uint32, cells []uint64) {
	switch l.words {
	case 1:
		for g := range l.groups {
			row[g] = uint32(cells[g/2] >> (32 * (g % 2)))
		}
	default:
		per := 32 * l.words
		for g := range l.groups {
			for j := range l.words {
				var v uint64
				for half := range per / 64 {
					if i := g*per/64 + half; i < len(cells) {
						v |= gather(cells[i]>>j, l.words) << (half * 64 / l.words)
					}
				}
				row[g*l.words+j] = uint32(v)
			}
		}
	}
}

// spread puts bit i of v at bit n·i, n = 2 or 4.
func spread(v uint64, n int) uint64 {
	v = (v | v<<16) & 0x0000FFFF0000FFFF
	v = (v | v<<8) & 0x00FF00FF00FF00FF
	v = (v | v<<4) & 0x0F0F0F0F0F0F0F0F
	v = (v | v<<2) & 0x3333333333333333
	v = (v | v<<1) & 0x5555555555555555
	if n == 4 {
		return spread(v, 2)
	}
	return v
}

// gather takes bits 0, n, 2n, … of v together, n = 2 or 4.
func gather(v uint64, n int) uint64 {
	if n == 4 {
		v = gather(v, 2)
	}
	v &= 0x5555555555555555
	v = (v | v>>1) & 0x3333333333333333
	v = (v | v>>2) & 0x0F0F0F0F0F0F0F0F
	v = (v | v>>4) & 0x00FF00FF00FF00FF
	v = (v | v>>8) & 0x0000FFFF0000FFFF
	return (v | v>>16) & 0xFFFFFFFF
}
