package ptx

func (k *Kernel) op32(format string, args ...any) B32 {
	r := k.NewB32()
	k.emit(format, append([]any{r}, args...)...)
	return r
}

func (k *Kernel) op64(format string, args ...any) B64 {
	r := k.NewB64()
	k.emit(format, append([]any{r}, args...)...)
	return r
}

// Const is a register that holds n.
func (k *Kernel) Const(n int) B32 { return k.op32("mov.b32 %v, %d", int32(n)) }

// Const64 is a register that holds n.
func (k *Kernel) Const64(n uint64) B64 { return k.op64("mov.b64 %v, %d", n) }

// Move assigns b to a.
func (k *Kernel) Move(a, b B32) { k.emit("mov.b32 %v, %v", a, b) }

// Move64 assigns b to a.
func (k *Kernel) Move64(a, b B64) { k.emit("mov.b64 %v, %v", a, b) }

// Assign sets a to n.
func (k *Kernel) Assign(a B32, n int) { k.emit("mov.b32 %v, %d", a, int32(n)) }

// Assign64 sets a to n.
func (k *Kernel) Assign64(a B64, n uint64) { k.emit("mov.b64 %v, %d", a, n) }

// Add is a + b.
func (k *Kernel) Add(a, b B32) B32 { return k.op32("add.s32 %v, %v, %v", a, b) }

// AddN is a + n.
func (k *Kernel) AddN(a B32, n int) B32 {
	if n == 0 {
		return a
	}
	return k.op32("add.s32 %v, %v, %d", a, n)
}

// Increase assigns a + n to a.
func (k *Kernel) Increase(a B32, n int) { k.emit("add.s32 %v, %v, %d", a, a, n) }

// Increase64 assigns a + b to a.
func (k *Kernel) Increase64(a, b B64) { k.emit("add.s64 %v, %v, %v", a, a, b) }

// Sub is a - b.
func (k *Kernel) Sub(a, b B32) B32 { return k.op32("sub.s32 %v, %v, %v", a, b) }

// Mul is the low half of a·b.
func (k *Kernel) Mul(a, b B32) B32 { return k.op32("mul.lo.s32 %v, %v, %v", a, b) }

// MulN is the low half of a·n.
func (k *Kernel) MulN(a B32, n int) B32 { return k.op32("mul.lo.s32 %v, %v, %d", a, n) }

// MulAdd is the low half of a·b + c.
func (k *Kernel) MulAdd(a, b, c B32) B32 { return k.op32("mad.lo.s32 %v, %v, %v, %v", a, b, c) }

// DivU is a / b of unsigned numbers.
func (k *Kernel) DivU(a, b B32) B32 { return k.op32("div.u32 %v, %v, %v", a, b) }

// RemU is a mod b of unsigned numbers.
func (k *Kernel) RemU(a, b B32) B32 { return k.op32("rem.u32 %v, %v, %v", a, b) }

// Div is a / b of signed numbers, towards zero.
func (k *Kernel) Div(a, b B32) B32 { return k.op32("div.s32 %v, %v, %v", a, b) }

// Min is the lesser of signed a and b.
func (k *Kernel) Min(a, b B32) B32 { return k.op32("min.s32 %v, %v, %v", a, b) }

// Max is the greater of signed a and b.
func (k *Kernel) Max(a, b B32) B32 { return k.op32("max.s32 %v, %v, %v", a, b) }

// MinN is the lesser of signed a and n.
func (k *Kernel) MinN(a B32, n int) B32 { return k.op32("min.s32 %v, %v, %d", a, n) }

// MaxN is the greater of signed a and n.
func (k *Kernel) MaxN(a B32, n int) B32 { return k.op32("max.s32 %v, %v, %d", a, n) }

// ShlN is a << n.
func (k *Kernel) ShlN(a B32, n int) B32 { return k.op32("shl.b32 %v, %v, %d", a, n) }

// Shl is a << b, 0 where b ≥ 32.
func (k *Kernel) Shl(a, b B32) B32 { return k.op32("shl.b32 %v, %v, %v", a, b) }

// ShrN is a >> n of unsigned numbers.
func (k *Kernel) ShrN(a B32, n int) B32 { return k.op32("shr.u32 %v, %v, %d", a, n) }

// Shr is a >> b of unsigned numbers, 0 where b ≥ 32.
func (k *Kernel) Shr(a, b B32) B32 { return k.op32("shr.u32 %v, %v, %v", a, b) }

// SarN is a >> n of signed numbers.
func (k *Kernel) SarN(a B32, n int) B32 { return k.op32("shr.s32 %v, %v, %d", a, n) }

// BitMask is all ones if bit n of a is set, and zero otherwise.
func (k *Kernel) BitMask(a B32, n int) B32 { return k.op32("bfe.s32 %v, %v, %d, 1", a, n) }

// AndN is a & n.
func (k *Kernel) AndN(a B32, n uint32) B32 { return k.op32("and.b32 %v, %v, 0x%08x", a, n) }

// And is a & b.
func (k *Kernel) And(a, b B32) B32 { return k.op32("and.b32 %v, %v, %v", a, b) }

// Or is a | b.
func (k *Kernel) Or(a, b B32) B32 { return k.op32("or.b32 %v, %v, %v", a, b) }

// OrN is a | n.
func (k *Kernel) OrN(a B32, n uint32) B32 { return k.op32("or.b32 %v, %v, 0x%08x", a, n) }

// Not is ^a.
func (k *Kernel) Not(a B32) B32 { return k.op32("not.b32 %v, %v", a) }

// Lop3 is the table imm of the bits of a, b and c: bit 4a+2b+c of it.
func (k *Kernel) Lop3(imm uint8, a, b, c B32) B32 {
	return k.op32("lop3.b32 %v, %v, %v, %v, 0x%02x", a, b, c, imm)
}

// FunnelR is the low word of the pair (high, low) >> n, 0 ≤ n < 32.
func (k *Kernel) FunnelR(low, high B32, n int) B32 {
	return k.op32("shf.r.wrap.b32 %v, %v, %v, %d", low, high, n)
}

// FunnelRBy is the low word of the pair (high, low) >> n mod 32.
func (k *Kernel) FunnelRBy(low, high, n B32) B32 {
	return k.op32("shf.r.wrap.b32 %v, %v, %v, %v", low, high, n)
}

// BitAt has bit n mod 32 alone.
func (k *Kernel) BitAt(n B32) B32 { return k.op32("shf.l.wrap.b32 %v, 0, 1, %v", n) }

// FunnelL is the high word of the pair (high, low) << n, 0 ≤ n < 32.
func (k *Kernel) FunnelL(low, high B32, n int) B32 {
	return k.op32("shf.l.wrap.b32 %v, %v, %v, %d", low, high, n)
}

// Popc is the number of ones in a.
func (k *Kernel) Popc(a B32) B32 { return k.op32("popc.b32 %v, %v", a) }

// Clz is the number of zeros above the highest one of a; 32 if a is 0.
func (k *Kernel) Clz(a B32) B32 { return k.op32("clz.b32 %v, %v", a) }

// ShuffleDown is a of the lane n lanes on; the last n lanes get their own.
func (k *Kernel) ShuffleDown(a B32, n int) B32 {
	return k.op32("shfl.sync.down.b32 %v, %v, %d, 31, -1", a, n)
}

// ShuffleUp is a of the lane n lanes back; the first n lanes get their own.
func (k *Kernel) ShuffleUp(a B32, n int) B32 {
	return k.op32("shfl.sync.up.b32 %v, %v, %d, 0, -1", a, n)
}

// ShuffleFrom is a of the given lane.
func (k *Kernel) ShuffleFrom(a, lane B32) B32 {
	return k.op32("shfl.sync.idx.b32 %v, %v, %v, 31, -1", a, lane)
}

// Compare is a op b of signed numbers; op is one of eq, ne, lt, le, gt, ge.
func (k *Kernel) Compare(op string, a, b B32) Pred {
	p := k.newPred()
	k.emit("setp.%s.s32 %v, %v, %v", op, p, a, b)
	return p
}

// CompareN is a op n of signed numbers.
func (k *Kernel) CompareN(op string, a B32, n int) Pred {
	p := k.newPred()
	k.emit("setp.%s.s32 %v, %v, %d", op, p, a, n)
	return p
}

// Below is a < b of unsigned numbers.
func (k *Kernel) Below(a, b B32) Pred {
	p := k.newPred()
	k.emit("setp.lt.u32 %v, %v, %v", p, a, b)
	return p
}

// Below64 is a < b of unsigned numbers.
func (k *Kernel) Below64(a, b B64) Pred {
	p := k.newPred()
	k.emit("setp.lt.u64 %v, %v, %v", p, a, b)
	return p
}

// BelowAnd is p and a < b of unsigned numbers.
func (k *Kernel) BelowAnd(a, b B32, p Pred) Pred {
	q := k.newPred()
	k.emit("setp.lt.and.u32 %v, %v, %v, %v", q, a, b, p)
	return q
}

// AndPred is p and q.
func (k *Kernel) AndPred(p, q Pred) Pred {
	r := k.newPred()
	k.emit("and.pred %v, %v, %v", r, p, q)
	return r
}

// Select is a if p is true, and b otherwise.
func (k *Kernel) Select(p Pred, a, b B32) B32 { return k.op32("selp.b32 %v, %v, %v, %v", a, b, p) }

// SelectN is m if p is true, and n otherwise.
func (k *Kernel) SelectN(p Pred, m, n int) B32 {
	return k.op32("selp.b32 %v, %d, %d, %v", int32(m), int32(n), p)
}

// Wide is a as a 64-bit unsigned number.
func (k *Kernel) Wide(a B32) B64 { return k.op64("cvt.u64.u32 %v, %v", a) }

// WideS is a as a 64-bit signed number.
func (k *Kernel) WideS(a B32) B64 { return k.op64("cvt.s64.s32 %v, %v", a) }

// Low is the low half of a.
func (k *Kernel) Low(a B64) B32 { return k.op32("cvt.u32.u64 %v, %v", a) }

// Add64 is a + b.
func (k *Kernel) Add64(a, b B64) B64 { return k.op64("add.s64 %v, %v, %v", a, b) }

// Add64N is a + n.
func (k *Kernel) Add64N(a B64, n int64) B64 { return k.op64("add.s64 %v, %v, %d", a, n) }

// Mul64 is the low half of a·b.
func (k *Kernel) Mul64(a, b B64) B64 { return k.op64("mul.lo.s64 %v, %v, %v", a, b) }

// Xor64 is a ^ b.
func (k *Kernel) Xor64(a, b B64) B64 { return k.op64("xor.b64 %v, %v, %v", a, b) }

// Shr64N is a >> n of unsigned numbers.
func (k *Kernel) Shr64N(a B64, n int) B64 { return k.op64("shr.u64 %v, %v, %d", a, n) }

// MulWideU is a·b of unsigned numbers, in full.
func (k *Kernel) MulWideU(a, b B32) B64 { return k.op64("mul.wide.u32 %v, %v, %v", a, b) }

// MulAddWideU is a·b + c with unsigned a and b, in full.
func (k *Kernel) MulAddWideU(a, b B32, c B64) B64 {
	return k.op64("mad.wide.u32 %v, %v, %v, %v", a, b, c)
}

// Pair is the number of two halves.
func (k *Kernel) Pair(low, high B32) B64 { return k.op64("mov.b64 %v, {%v, %v}", low, high) }

// Halves are the two halves of a.
func (k *Kernel) Halves(a B64) (low, high B32) {
	low, high = k.NewB32(), k.NewB32()
	k.emit("mov.b64 {%v, %v}, %v", low, high, a)
	return low, high
}

// MulWide is a·b + c with signed a and b, in full.
func (k *Kernel) MulWide(a, b B32, c B64) B64 {
	return k.op64("mad.wide.s32 %v, %v, %v, %v", a, b, c)
}

// MulWideN is a·n + c with signed a, in full.
func (k *Kernel) MulWideN(a B32, n int, c B64) B64 {
	return k.op64("mad.wide.s32 %v, %v, %d, %v", a, n, c)
}
