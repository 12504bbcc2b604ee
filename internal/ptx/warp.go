package ptx

// Reverse is a with its bits in reverse order.
func (k *Kernel) Reverse(a B32) B32 { return k.op32("brev.b32 %v, %v", a) }

// ReverseBytes is a with its bytes in reverse order.
func (k *Kernel) ReverseBytes(a B32) B32 { return k.op32("prmt.b32 %v, %v, %v, 0x0123", a, a) }

// Ballot has bit l set where p is true in lane l, in all lanes.
func (k *Kernel) Ballot(p Pred) B32 { return k.op32("vote.sync.ballot.b32 %v, %v, -1", p) }

// SumLanes is the sum of a over all lanes of the warp, in all of them.
func (k *Kernel) SumLanes(a B32) B32 { return k.op32("redux.sync.add.u32 %v, %v, -1", a) }

// Any reports whether p is true in any lane, alike in all of them.
func (k *Kernel) Any(p Pred) Pred {
	q := k.newPred()
	k.emit("vote.sync.any.pred %v, %v, -1", q, p)
	return q
}

// WarpBarrier waits for all lanes of the warp, and lets each see what the others wrote to memory before.
func (k *Kernel) WarpBarrier() { k.emit("bar.warp.sync -1") }

// BlockBarrier is WarpBarrier for all warps of the block.
func (k *Kernel) BlockBarrier() { k.emit("bar.sync 0") }

// AddShared adds v to the number at a+offset bytes in shared memory, whole in the sight of other lanes.
func (k *Kernel) AddShared(a B32, offset int, v B32) {
	k.emit("red.shared.add.u32 [%v+%d], %v", a, offset, v)
}

// OrSharedIf sets bits of a word at a+offset bytes in shared memory, in the threads in which p is true.
func (k *Kernel) OrSharedIf(p Pred, a B32, offset int, v B32) {
	k.emit("@%v red.shared.or.b32 [%v+%d], %v", p, a, offset, v)
}

// FetchAddShared is AddShared and returns the old number.
func (k *Kernel) FetchAddShared(a B32, offset int, v B32) B32 {
	return k.op32("atom.shared.add.u32 %v, [%v+%d], %v", a, offset, v)
}

// FetchMinShared makes the unsigned number at a+offset bytes in shared memory the lesser of itself and v, and returns
// the old number.
func (k *Kernel) FetchMinShared(a B32, offset int, v B32) B32 {
	return k.op32("atom.shared.min.u32 %v, [%v+%d], %v", a, offset, v)
}

// FetchAdd adds v to the number at a+offset bytes in global memory and returns the old number.
func (k *Kernel) FetchAdd(a B64, offset int, v B32) B32 {
	return k.op32("atom.global.add.u32 %v, [%v+%d], %v", a, offset, v)
}

// Load64 reads a 64-bit number at a+offset bytes in global memory, which must not change while the kernel runs.
func (k *Kernel) Load64(a B64, offset int) B64 {
	return k.op64("ld.global.nc.b64 %v, [%v+%d]", a, offset)
}

// DivergeUnless goes to a label if not p, which may differ between the threads of a warp.
func (k *Kernel) DivergeUnless(p Pred, l Label) { k.emit("@!%v bra %s_%v", p, k.name, l) }
