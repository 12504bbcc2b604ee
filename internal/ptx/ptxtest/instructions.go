package ptxtest

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// allLanes is the mask of a warp with all threads active, which is the common case.
const allLanes = ^uint32(0)

// unary, binary2, ternary and long2 make instructions of functions. Lanes that are not in the mask
// keep their registers.
func unary(f func(a uint32) uint32) func(*warp, *op, uint32) {
	return func(w *warp, o *op, mask uint32) {
		dst, a := &w.r[o.args[0].n], w.row(&o.args[1])
		for l := range lanes {
			if mask == allLanes || mask>>l&1 == 1 {
				dst[l] = f(a[l])
			}
		}
	}
}

// binary2 makes an instruction of two operands. mask has the lanes that take part; most often all do, and the test for
// that saves a shift in each lane.
func binary2(f func(a, b uint32) uint32) func(*warp, *op, uint32) {
	return func(w *warp, o *op, mask uint32) {
		dst, a, b := &w.r[o.args[0].n], w.row(&o.args[1]), w.row(&o.args[2])
		for l := range lanes {
			if mask == allLanes || mask>>l&1 == 1 {
				dst[l] = f(a[l], b[l])
			}
		}
	}
}

// ternary makes an instruction of three operands.
func ternary(f func(a, b, c uint32) uint32) func(*warp, *op, uint32) {
	return func(w *warp, o *op, mask uint32) {
		dst, a, b, c := &w.r[o.args[0].n], w.row(&o.args[1]), w.row(&o.args[2]), w.row(&o.args[3])
		for l := range lanes {
			if mask == allLanes || mask>>l&1 == 1 {
				dst[l] = f(a[l], b[l], c[l])
			}
		}
	}
}

// long2 makes an instruction of two operands of 64 bits.
func long2(f func(a, b uint64) uint64) func(*warp, *op, uint32) {
	return func(w *warp, o *op, mask uint32) {
		for l := range lanes {
			if mask>>l&1 == 1 {
				w.d[o.args[0].n][l] = f(w.long(&o.args[1], l), w.long(&o.args[2], l))
			}
		}
	}
}

// compare makes an instruction that sets a predicate, possibly joined with another one by and.
func compare(f func(a, b uint32) bool) func(*warp, *op, uint32) {
	return func(w *warp, o *op, mask uint32) {
		for l := range lanes {
			if mask>>l&1 == 1 {
				v := f(w.word(&o.args[1], l), w.word(&o.args[2], l))
				if len(o.args) > 3 {
					v = v && w.pr[o.args[3].n][l]
				}
				w.pr[o.args[0].n][l] = v
			}
		}
	}
}

func signed(f func(a, b int32) bool) func(*warp, *op, uint32) {
	return compare(func(a, b uint32) bool { return f(int32(a), int32(b)) })
}

// shuffle makes an instruction by which each lane takes the register of another one. A lane without a
// source keeps its own value, as on a device.
func shuffle(source func(l, n int) int) func(*warp, *op, uint32) {
	return func(w *warp, o *op, mask uint32) {
		if mask != ^uint32(0) {
			w.fault = fmt.Errorf("not all lanes take part")
			return
		}
		from := w.r[o.args[1].n]
		for l := range lanes {
			s := source(l, int(w.word(&o.args[2], l)))
			if s < 0 || s >= lanes {
				s = l
			}
			w.r[o.args[0].n][l] = from[s]
		}
	}
}

// load makes an instruction that reads one register or several, lane by lane.
func load(shared bool) func(*warp, *op, uint32) {
	return func(w *warp, o *op, mask uint32) {
		regs := o.args[0].regs
		for l := range lanes {
			if mask>>l&1 == 0 {
				continue
			}
			b := w.access(o, w.address(&o.args[1], l, shared), 4*len(regs), shared)
			if b == nil {
				return
			}
			for i, r := range regs {
				w.r[r][l] = binary.LittleEndian.Uint32(b[4*i:])
			}
		}
	}
}

// store makes an instruction that writes one register or several, lane by lane.
func store(shared bool) func(*warp, *op, uint32) {
	return func(w *warp, o *op, mask uint32) {
		regs := o.args[1].regs
		for l := range lanes {
			if mask>>l&1 == 0 {
				continue
			}
			b := w.access(o, w.address(&o.args[0], l, shared), 4*len(regs), shared)
			if b == nil {
				return
			}
			for i, r := range regs {
				binary.LittleEndian.PutUint32(b[4*i:], w.r[r][l])
			}
		}
	}
}

// lop3 expands the table by z, then by y and at last by x, for all 32 bits of a word at a time. The table has a bit for
// each combination of inputs:
//
//	bit   7 6 5 4   3 2 1 0
//	x     1 1 1 1   0 0 0 0
//	y     1 1 0 0   1 1 0 0
//	z     1 0 1 0   1 0 1 0
//	      high      low
func lop3(w *warp, o *op, mask uint32) {
	imm := uint8(o.args[4].imm)
	a, b, c := &w.r[o.args[1].n], &w.r[o.args[2].n], &w.r[o.args[3].n]
	var terms [8]uint32 // all ones where the table has a one
	for i := range terms {
		terms[i] = -uint32(imm >> i & 1)
	}
	dst := &w.r[o.args[0].n]
	for l := range lanes {
		if mask == allLanes || mask>>l&1 == 1 {
			x, y, z := a[l], b[l], c[l]
			low := ^y&(^z&terms[0]|z&terms[1]) | y&(^z&terms[2]|z&terms[3])
			high := ^y&(^z&terms[4]|z&terms[5]) | y&(^z&terms[6]|z&terms[7])
			dst[l] = ^x&low | x&high
		}
	}
}

// instructions are the known instructions by their names with types.
var instructions map[string]func(w *warp, o *op, mask uint32)

func init() {
	nothing := func(*warp, *op, uint32) {}
	add := binary2(func(a, b uint32) uint32 { return a + b })
	move := func(w *warp, o *op, mask uint32) {
		a := &o.args[1]
		for l := range lanes {
			if mask>>l&1 == 0 {
				continue
			}
			v := w.word(a, l)
			if a.kind == 's' {
				switch a.name {
				case "tid.x":
					v = w.first + uint32(l)
				case "ctaid.x":
					v = w.ctaid[0]
				case "ctaid.y":
					v = w.ctaid[1]
				case "ntid.x":
					v = w.ntid
				case "nctaid.x":
					v = w.nctaid[0]
				case "nctaid.y":
					v = w.nctaid[1]
				default:
					w.fault = fmt.Errorf("unknown register %s", a.name)
				}
			}
			w.r[o.args[0].n][l] = v
		}
	}
	shift := func(f func(a uint32, n uint32) uint32) func(*warp, *op, uint32) { return binary2(f) }
	instructions = map[string]func(w *warp, o *op, mask uint32){
		"ret": nothing, "bra": nothing, "bra.uni": nothing,
		"ld.param.u32": func(w *warp, o *op, mask uint32) {
			for l := range lanes {
				w.r[o.args[0].n][l] = uint32(w.params[o.args[1].n])
			}
		},
		"ld.param.u64": func(w *warp, o *op, mask uint32) {
			for l := range lanes {
				w.d[o.args[0].n][l] = w.params[o.args[1].n]
			}
		},
		"mov.u32": move, "mov.b32": move,
		"mov.b64":    move64,
		"add.s32":    add,
		"sub.s32":    binary2(func(a, b uint32) uint32 { return a - b }),
		"mul.lo.s32": binary2(func(a, b uint32) uint32 { return a * b }),
		"mad.lo.s32": ternary(func(a, b, c uint32) uint32 { return a*b + c }),
		"div.u32":    binary2(func(a, b uint32) uint32 { return a / b }),
		"rem.u32":    binary2(func(a, b uint32) uint32 { return a % b }),
		"div.s32":    binary2(func(a, b uint32) uint32 { return uint32(int32(a) / int32(b)) }),
		"min.s32":    binary2(func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }),
		"max.s32":    binary2(func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }),
		"shl.b32":    shift(func(a, n uint32) uint32 { return a << n }),
		"shr.u32":    shift(func(a, n uint32) uint32 { return a >> n }),
		"shr.s32":    shift(func(a, n uint32) uint32 { return uint32(int32(a) >> n) }),
		"bfe.s32":    ternary(func(a, n, _ uint32) uint32 { return -(a >> n & 1) }),
		"and.b32":    binary2(func(a, b uint32) uint32 { return a & b }),
		"or.b32":     binary2(func(a, b uint32) uint32 { return a | b }),
		"not.b32":    unary(func(a uint32) uint32 { return ^a }),
		"popc.b32":   unary(func(a uint32) uint32 { return uint32(bits.OnesCount32(a)) }),
		"clz.b32":    unary(func(a uint32) uint32 { return uint32(bits.LeadingZeros32(a)) }),
		"lop3.b32":   lop3,
		"shf.r.wrap.b32": ternary(func(lo, hi, n uint32) uint32 {
			return uint32((uint64(hi)<<32 | uint64(lo)) >> (n & 31))
		}),
		"shf.l.wrap.b32": ternary(func(lo, hi, n uint32) uint32 {
			return uint32((uint64(hi)<<32 | uint64(lo)) << (n & 31) >> 32)
		}),
		"shfl.sync.down.b32": shuffle(func(l, n int) int { return l + n }),
		"shfl.sync.up.b32":   shuffle(func(l, n int) int { return l - n }),
		"shfl.sync.idx.b32":  shuffle(func(_, n int) int { return n & 31 }),
		"setp.eq.s32":        signed(func(a, b int32) bool { return a == b }),
		"setp.ne.s32":        signed(func(a, b int32) bool { return a != b }),
		"setp.lt.s32":        signed(func(a, b int32) bool { return a < b }),
		"setp.le.s32":        signed(func(a, b int32) bool { return a <= b }),
		"setp.gt.s32":        signed(func(a, b int32) bool { return a > b }),
		"setp.ge.s32":        signed(func(a, b int32) bool { return a >= b }),
		"setp.lt.u32":        compare(func(a, b uint32) bool { return a < b }),
		"setp.lt.and.u32":    compare(func(a, b uint32) bool { return a < b }),
		"setp.lt.u64": func(w *warp, o *op, mask uint32) {
			for l := range lanes {
				w.pr[o.args[0].n][l] = w.long(&o.args[1], l) < w.long(&o.args[2], l)
			}
		},
		"and.pred": func(w *warp, o *op, mask uint32) {
			for l := range lanes {
				w.pr[o.args[0].n][l] = w.pr[o.args[1].n][l] && w.pr[o.args[2].n][l]
			}
		},
		"selp.b32": func(w *warp, o *op, mask uint32) {
			for l := range lanes {
				if mask>>l&1 == 0 {
					continue
				}
				v := w.word(&o.args[2], l)
				if w.pr[o.args[3].n][l] {
					v = w.word(&o.args[1], l)
				}
				w.r[o.args[0].n][l] = v
			}
		},
		"cvt.u64.u32": func(w *warp, o *op, mask uint32) { w.widen(o, mask, func(a uint32) uint64 { return uint64(a) }) },
		"cvt.s64.s32": func(w *warp, o *op, mask uint32) {
			w.widen(o, mask, func(a uint32) uint64 { return uint64(int64(int32(a))) })
		},
		"cvt.u32.u64": func(w *warp, o *op, mask uint32) {
			for l := range lanes {
				w.r[o.args[0].n][l] = uint32(w.long(&o.args[1], l))
			}
		},
		"add.s64":    long2(func(a, b uint64) uint64 { return a + b }),
		"mul.lo.s64": long2(func(a, b uint64) uint64 { return a * b }),
		"xor.b64":    long2(func(a, b uint64) uint64 { return a ^ b }),
		"shr.u64":    long2(func(a, b uint64) uint64 { return a >> b }),
		"mul.wide.u32": func(w *warp, o *op, mask uint32) {
			for l := range lanes {
				if mask>>l&1 == 1 {
					w.d[o.args[0].n][l] = uint64(w.word(&o.args[1], l)) * uint64(w.word(&o.args[2], l))
				}
			}
		},
		"mad.wide.u32": func(w *warp, o *op, mask uint32) {
			for l := range lanes {
				if mask>>l&1 == 1 {
					w.d[o.args[0].n][l] = uint64(w.word(&o.args[1], l))*uint64(w.word(&o.args[2], l)) + w.long(&o.args[3], l)
				}
			}
		},
		"mad.wide.s32": func(w *warp, o *op, mask uint32) {
			for l := range lanes {
				if mask>>l&1 == 1 {
					product := int64(int32(w.word(&o.args[1], l))) * int64(int32(w.word(&o.args[2], l)))
					w.d[o.args[0].n][l] = uint64(product) + w.long(&o.args[3], l)
				}
			}
		},
		"ld.global.nc.b32": load(false), "ld.global.b32": load(false), "st.global.b32": store(false),
		"st.global.u8": func(w *warp, o *op, mask uint32) {
			for l := range lanes {
				if mask>>l&1 == 0 {
					continue
				}
				b := w.access(o, w.address(&o.args[0], l, false), 1, false)
				if b == nil {
					return
				}
				b[0] = byte(w.word(&o.args[1], l))
			}
		},
		"prefetch.global.L2": func(w *warp, o *op, mask uint32) {
			for l := range lanes {
				if mask>>l&1 == 1 && w.access(o, w.address(&o.args[0], l, false), 1, false) == nil {
					return
				}
			}
		},
		"ld.shared.b32": load(true), "st.shared.b32": store(true),
		"red.global.add.u64": atomic(8, func(w *warp, o *op, l int, b []byte) {
			binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)+w.long(&o.args[1], l))
		}),
		"red.global.min.s32": atomic(4, func(w *warp, o *op, l int, b []byte) {
			v := min(int32(binary.LittleEndian.Uint32(b)), int32(w.word(&o.args[1], l)))
			binary.LittleEndian.PutUint32(b, uint32(v))
		}),
		"red.global.max.s32": atomic(4, func(w *warp, o *op, l int, b []byte) {
			v := max(int32(binary.LittleEndian.Uint32(b)), int32(w.word(&o.args[1], l)))
			binary.LittleEndian.PutUint32(b, uint32(v))
		}),
	}
}

// atomic changes n bytes of global memory, lane after lane.
func atomic(n int, change func(w *warp, o *op, l int, b []byte)) func(*warp, *op, uint32) {
	return func(w *warp, o *op, mask uint32) {
		for l := range lanes {
			if mask>>l&1 == 0 {
				continue
			}
			b := w.access(o, w.address(&o.args[0], l, false), n, false)
			if b == nil {
				return
			}
			change(w, o, l, b)
		}
	}
}

// move64 copies a long register, puts two words together, or takes one apart.
func move64(w *warp, o *op, mask uint32) {
	to, from := &o.args[0], &o.args[1]
	for l := range lanes {
		switch {
		case mask>>l&1 == 0:
		case to.kind == 'v':
			v := w.long(from, l)
			w.r[to.regs[0]][l], w.r[to.regs[1]][l] = uint32(v), uint32(v>>32)
		case from.kind == 'v':
			w.d[to.n][l] = uint64(w.r[from.regs[0]][l]) | uint64(w.r[from.regs[1]][l])<<32
		default:
			w.d[to.n][l] = w.long(from, l)
		}
	}
}

func (w *warp) widen(o *op, mask uint32, f func(uint32) uint64) {
	for l := range lanes {
		if mask>>l&1 == 1 {
			w.d[o.args[0].n][l] = f(w.word(&o.args[1], l))
		}
	}
}
