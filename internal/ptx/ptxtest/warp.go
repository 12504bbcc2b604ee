package ptxtest

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// fetch is an atomic operation that returns the old value.
func fetch(shared bool, change func(old, v uint32) uint32) func(*warp, *op, uint32) {
	return func(w *warp, o *op, mask uint32) {
		for l := range lanes {
			if mask>>l&1 == 0 {
				continue
			}
			b := w.access(o, w.address(&o.args[1], l, shared), 4, shared)
			if b == nil {
				return
			}
			old := binary.LittleEndian.Uint32(b)
			binary.LittleEndian.PutUint32(b, change(old, w.word(&o.args[2], l)))
			w.r[o.args[0].n][l] = old
		}
	}
}

// change is an atomic in shared memory that returns nothing.
func change(to func(old, v uint32) uint32) func(*warp, *op, uint32) {
	return func(w *warp, o *op, mask uint32) {
		for l := range lanes {
			if mask>>l&1 == 0 {
				continue
			}
			b := w.access(o, w.address(&o.args[0], l, true), 4, true)
			if b == nil {
				return
			}
			binary.LittleEndian.PutUint32(b, to(binary.LittleEndian.Uint32(b), w.word(&o.args[1], l)))
		}
	}
}

func add32(old, v uint32) uint32 { return old + v }

// The instructions by which the lanes of a warp, or several warps, exchange something. Those of a warp need all
// lanes. With fewer a GPU would wait for the others, and here that is a fault.
func init() {
	instructions["brev.b32"] = unary(bits.Reverse32)
	instructions["prmt.b32"] = func(w *warp, o *op, mask uint32) {
		if o.args[3].imm != 0x0123 {
			w.fault = fmt.Errorf("bytes in another order than in reverse")
			return
		}
		unary(bits.ReverseBytes32)(w, o, mask)
	}
	instructions["vote.sync.ballot.b32"] = func(w *warp, o *op, mask uint32) {
		if mask != ^uint32(0) {
			w.fault = fmt.Errorf("not all lanes take part")
			return
		}
		var v uint32
		for l := range lanes {
			if w.pr[o.args[1].n][l] {
				v |= 1 << l
			}
		}
		for l := range lanes {
			w.r[o.args[0].n][l] = v
		}
	}
	instructions["redux.sync.add.u32"] = func(w *warp, o *op, mask uint32) {
		if mask != ^uint32(0) {
			w.fault = fmt.Errorf("not all lanes take part")
			return
		}
		var sum uint32
		for _, v := range w.r[o.args[1].n] {
			sum += v
		}
		for l := range lanes {
			w.r[o.args[0].n][l] = sum
		}
	}
	instructions["vote.sync.any.pred"] = func(w *warp, o *op, mask uint32) {
		if mask != ^uint32(0) {
			w.fault = fmt.Errorf("not all lanes take part")
			return
		}
		any := slices.Contains(w.pr[o.args[1].n][:], true)
		for l := range lanes {
			w.pr[o.args[0].n][l] = any
		}
	}
	barrier := func(w *warp, _ *op, mask uint32) {
		if mask != ^uint32(0) {
			w.fault = fmt.Errorf("not all lanes take part")
		}
	}
	instructions["bar.warp.sync"] = barrier
	instructions["bar.sync"] = func(w *warp, o *op, mask uint32) {
		barrier(w, o, mask)
		w.waits = w.meets
	}
	instructions["red.shared.add.u32"] = change(add32)
	instructions["red.shared.or.b32"] = change(func(old, v uint32) uint32 { return old | v })
	instructions["atom.shared.add.u32"] = fetch(true, add32)
	instructions["atom.shared.min.u32"] = fetch(true, func(old, v uint32) uint32 { return min(old, v) })
	instructions["atom.global.add.u32"] = fetch(false, add32)
	instructions["trap"] = func(w *warp, _ *op, _ uint32) { w.fault = fmt.Errorf("the kernel gives up") }
	instructions["red.global.or.b32"] = atomic(4, func(w *warp, o *op, l int, b []byte) {
		binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)|w.word(&o.args[1], l))
	})
	write := atomic(8, func(w *warp, o *op, l int, b []byte) { binary.LittleEndian.PutUint64(b, w.long(&o.args[1], l)) })
	instructions["st.relaxed.gpu.global.b64"] = func(w *warp, o *op, mask uint32) {
		w.mem.published++
		write(w, o, mask)
	}
	instructions["ld.relaxed.gpu.global.b64"] = func(w *warp, o *op, mask uint32) {
		w.waits = true
		if w.meets {
			w.fault = fmt.Errorf("a warp of a block with barriers waits for other blocks: not on the host")
		}
		load64(w, o, mask)
	}
	instructions["ld.global.nc.b64"] = load64
}

func load64(w *warp, o *op, mask uint32) {
	for l := range lanes {
		if mask>>l&1 == 0 {
			continue
		}
		b := w.access(o, w.address(&o.args[1], l, false), 8, false)
		if b == nil {
			return
		}
		w.d[o.args[0].n][l] = binary.LittleEndian.Uint64(b)
	}
}
