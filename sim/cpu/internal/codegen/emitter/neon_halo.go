package emitter

import (
	"github.com/gosper-life/gosper/internal/jit/arm64"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

func (n *neon) fillHalo(row int) {
	n.asm.LDR(armRow, n.rowPointer(row))
	for i := range n.e.halo {
		n.haloMove(&n.e.halo[i])
	}
}

// haloMove emits one move within the row at armRow. Without a source the cells beyond an edge are dead. A mask has the
// bits of the strips that take the moved cells; the other strips of the same vector keep theirs:
//
//	moved vector    m3 m2 m1 m0
//	mask             1  0  0  1
//	before          k3 k2 k1 k0
//	after           m3 k2 k1 m0
//
// BIF does this in one instruction: it inserts the kept bits where the mask is 0.
func (n *neon) haloMove(m *layout.Move) {
	const moved, kept, mask = 0, 1, 2
	at := func(j int) arm64.Mem { return n.reach(armRow, (n.e.layout.Halo+j)*n.e.bytes()) }
	if m.Src == layout.None {
		n.constant(moved, false)
	} else {
		const from, beside = 1, 2
		n.asm.LDP(low(from), high(from), at(m.Src))
		n.turn(moved, from, beside, m.Turn)
	}
	if m.Mask != nil {
		n.load(mask, n.e.constantVector(m.Mask))
		n.asm.LDP(low(kept), high(kept), at(m.Dst))
		halves(func(half func(int) arm64.Vec) { n.asm.BIF(half(moved), half(kept), half(mask)) })
	}
	n.asm.STP(low(moved), high(moved), at(m.Dst))
}

// turn moves strip b+by of a vector to strip b. Each slab has Wide words, whose bits are its strips, and by is
// 64·words + shift. Bits that a shift takes beyond a word come from the next word of the slab, after the last one from
// the first:
//
//	bit of word k        63 … 64−shift                     63−shift … 0
//	comes from      shift−1 … 0 of word k+words+1     63 … shift of word k+words
func (n *neon) turn(dst, src, scratch, by int) {
	wide := n.e.layout.Wide()
	words, shift := by>>6, by&63
	n.turnWords(dst, src, words)
	if shift == 0 {
		return
	}
	n.turnWords(scratch, src, (words+1)%wide)
	halves(func(half func(int) arm64.Vec) {
		n.asm.USHR(half(dst), half(dst), shift)
		n.asm.SHL(half(scratch), half(scratch), 64-shift)
		n.asm.ORR(half(dst), half(dst), half(scratch))
	})
}

// turnWords moves word k+words of each slab to word k, of another vector. A vector is two registers of two words. EXT
// takes two neighbouring words out of four, so it turns a slab of one register, or joins the ends of two registers. For
// slabs of four words:
//
//	register       high      low
//	before         w3 w2     w1 w0
//	words = 1      w0 w3     w2 w1
//	words = 2      w1 w0     w3 w2
//	words = 3      w2 w1     w0 w3
func (n *neon) turnWords(dst, src, words int) {
	const word = 8
	switch wide := n.e.layout.Wide(); {
	case words == 0:
		n.copy(dst, src)
	case wide == 2: // a slab is a register
		halves(func(half func(int) arm64.Vec) { n.asm.EXT(half(dst), half(src), half(src), word) })
	case words == 2:
		n.asm.COPY(low(dst), high(src))
		n.asm.COPY(high(dst), low(src))
	default:
		first, second := low(dst), high(dst)
		if words == 3 {
			first, second = second, first
		}
		n.asm.EXT(first, low(src), high(src), word)
		n.asm.EXT(second, high(src), low(src), word)
	}
}
