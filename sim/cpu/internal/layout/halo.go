package layout

import "math/bits"

// Move fills halo vector Dst, or the bits of it that are in Mask, from vector Src with its strips turned: strip
// b of Dst becomes strip b+Turn of Src, in the same slab. A Src of None makes dead cells.
type Move struct {
	Dst, Src, Turn int
	Mask           []uint64 // by lane; nil: all
}

// None is the source of dead cells.
const None = 1 << 30

// Moves lists the moves that fill the halo of a row. Its columns are those of the universe and of the margin.
// source returns the column that column x beyond them, by at most Halo, copies, or None for a dead cell. If it
// returns false, no move writes the column.
func (l *Layout) Moves(source func(x int) (column int, ok bool)) []Move {
	var all []Move
	w := l.W + l.Margin
	for j := -l.Halo; j < l.Vectors+l.Halo; j++ {
		type from struct{ src, turn int }
		masks := map[from][]uint64{}
		var order []from
		for b := range l.Strips {
			x := b*l.Vectors + j
			if x < -l.Halo || x >= w+l.Halo || (0 <= j && j < l.Vectors && x < w) {
				continue
			}
			column, ok := x, true
			if x < 0 || x >= w {
				column, ok = source(x)
			}
			if !ok {
				continue
			}
			f := from{None, 0}
			if column != None {
				f = from{column % l.Vectors, (column/l.Vectors - b + l.Strips) % l.Strips}
			}
			if masks[f] == nil {
				masks[f] = make([]uint64, l.Lanes)
				order = append(order, f)
			}
			for s := range l.Slabs {
				masks[f][s*l.Wide()+b>>6] |= 1 << (b & 63)
			}
		}
		for i, f := range order {
			m := Move{j, f.src, f.turn, masks[f]}
			// Beside the strips there are no cells, so the first move of a halo vector may write all of it.
			if i == 0 && (j < 0 || j >= l.Vectors) {
				m.Mask = nil
			}
			all = append(all, m)
		}
	}
	return all
}

// FillHalo carries out moves on a row.
func (l *Layout) FillHalo(row []uint64, moves []Move) { l.fillHalo(row, moves, 0, l.Lanes) }

// FillHaloSlab carries out moves on slab s of a row. It does not change other slabs.
func (l *Layout) FillHaloSlab(row []uint64, s int, moves []Move) {
	l.fillHalo(row, moves, s*l.Wide(), (s+1)*l.Wide())
}

// turnWords stores words turned right by some bits. Slabs of one word each are such words.
func turnWords(dst, src []uint64, by uint) {
	for ; len(dst) >= 4; dst, src = dst[4:], src[4:] {
		d, s := (*[4]uint64)(dst), (*[4]uint64)(src)
		d[0], d[1] = bits.RotateLeft64(s[0], -int(by)), bits.RotateLeft64(s[1], -int(by))
		d[2], d[3] = bits.RotateLeft64(s[2], -int(by)), bits.RotateLeft64(s[3], -int(by))
	}
	for i := range dst {
		dst[i] = bits.RotateLeft64(src[i], -int(by))
	}
}

// fillHalo carries out moves on lanes from ≤ k < to, which are whole slabs.
func (l *Layout) fillHalo(row []uint64, moves []Move, from, to int) {
	wide := l.Wide()
	for i := range moves {
		m := &moves[i]
		dst := l.Vector(row, m.Dst)
		if m.Src == None {
			for k := from; k < to; k++ {
				if m.Mask == nil {
					dst[k] = 0
				} else {
					dst[k] &^= m.Mask[k]
				}
			}
			continue
		}
		src := l.Vector(row, m.Src)
		words, shift := m.Turn>>6, uint(m.Turn&63)
		if wide == 1 && m.Mask == nil {
			turnWords(dst[from:to], src[from:to], shift)
			continue
		}
		// A slab is a ring of words that is turned right by m.Turn bits. Each word is made of two that follow each other:
		//
		//	            63        shift        0
		//	src[low]    ├────lower────┤─────────┤    64-shift bits become the lower part of dst[k]
		//	src[high]   ├─────────────┤──upper──┤    shift bits become its upper part, none if shift is 0
		for slab := from; slab < to; slab += wide {
			low := slab + words
			for k := slab; k < slab+wide; k++ {
				high := low + 1
				if high == slab+wide {
					high = slab
				}
				v := src[low]>>shift | src[high]<<(64-shift)
				if m.Mask != nil {
					v = dst[k]&^m.Mask[k] | v&m.Mask[k]
				}
				dst[k], low = v, high
			}
		}
	}
}

// Closed lists the moves that fill the halo of a row in which each strip is a universe of its own: a ring, or one with
// dead cells at its sides.
func (l *Layout) Closed(dead bool) []Move {
	var all []Move
	for k := range l.Halo {
		for _, m := range []Move{
			{Dst: -1 - k, Src: ((-1-k)%l.Vectors + l.Vectors) % l.Vectors},
			{Dst: l.Vectors + k, Src: k % l.Vectors},
		} {
			if dead {
				m.Src = None
			}
			all = append(all, m)
		}
	}
	return all
}
