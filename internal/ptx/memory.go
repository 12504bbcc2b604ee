package ptx

import (
	"fmt"
	"strings"
)

// vector is the suffix and operand of an access to 1, 2 or 4 words.
func vector(regs []B32) (suffix, operand string) {
	if len(regs) == 1 {
		return "", regs[0].String()
	}
	names := make([]string, len(regs))
	for i, r := range regs {
		names[i] = r.String()
	}
	return fmt.Sprintf(".v%d", len(regs)), "{" + strings.Join(names, ", ") + "}"
}

func (k *Kernel) newWords(n int) []B32 {
	regs := make([]B32, n)
	for i := range regs {
		regs[i] = k.NewB32()
	}
	return regs
}

// Load reads n = 1, 2 or 4 words at a+offset bytes in global memory, aligned to their size. The memory must not
// change while the kernel runs.
func (k *Kernel) Load(a B64, offset, n int) []B32 {
	regs := k.newWords(n)
	suffix, operand := vector(regs)
	k.emit("ld.global.nc%s.b32 %s, [%v+%d]", suffix, operand, a, offset)
	return regs
}

// LoadChanging is Load for memory that the kernel itself writes.
func (k *Kernel) LoadChanging(a B64, offset, n int) []B32 {
	regs := k.newWords(n)
	suffix, operand := vector(regs)
	k.emit("ld.global%s.b32 %s, [%v+%d]", suffix, operand, a, offset)
	return regs
}

// Prefetch brings the line at a into the second-level cache.
func (k *Kernel) Prefetch(a B64) { k.emit("prefetch.global.L2 [%v]", a) }

// Store writes 1, 2 or 4 words at a+offset bytes in global memory.
func (k *Kernel) Store(a B64, offset int, regs ...B32) {
	suffix, operand := vector(regs)
	k.emit("st.global%s.b32 [%v+%d], %s", suffix, a, offset, operand)
}

// StoreIf is Store in the threads in which p is true.
func (k *Kernel) StoreIf(p Pred, a B64, offset int, regs ...B32) {
	suffix, operand := vector(regs)
	k.emit("@%v st.global%s.b32 [%v+%d], %s", p, suffix, a, offset, operand)
}

// StoreByteIf writes the lowest byte of a word at a+offset bytes in global memory, in the threads in which p is true.
func (k *Kernel) StoreByteIf(p Pred, a B64, offset int, v B32) {
	k.emit("@%v st.global.u8 [%v+%d], %v", p, a, offset, v)
}

// LoadTaggedIf reads a 64-bit number at a+offset bytes in global memory into v, in the threads in which p is
// true. Other warps may write it meanwhile: it is read whole, and from where all of them see it.
func (k *Kernel) LoadTaggedIf(p Pred, v B64, a B64, offset int) {
	k.emit("@%v ld.relaxed.gpu.global.b64 %v, [%v+%d]", p, v, a, offset)
}

// StoreTaggedIf writes a 64-bit number for LoadTaggedIf, in the threads in which p is true.
func (k *Kernel) StoreTaggedIf(p Pred, a B64, offset int, v B64) {
	k.emit("@%v st.relaxed.gpu.global.b64 [%v+%d], %v", p, a, offset, v)
}

// OrAtomicIf sets bits of a word at a+offset bytes in global memory, in the threads in which p is true.
func (k *Kernel) OrAtomicIf(p Pred, a B64, offset int, v B32) {
	k.emit("@%v red.global.or.b32 [%v+%d], %v", p, a, offset, v)
}

// AddAtomic adds a 64-bit number in global memory.
func (k *Kernel) AddAtomic(a B64, v B64) { k.emit("red.global.add.u64 [%v], %v", a, v) }

// AddAtomicIf is AddAtomic in the threads in which p is true.
func (k *Kernel) AddAtomicIf(p Pred, a B64, v B64) {
	k.emit("@%v red.global.add.u64 [%v], %v", p, a, v)
}

// MinAtomic makes the signed number at a+offset bytes in global memory the lesser of itself and v.
func (k *Kernel) MinAtomic(a B64, offset int, v B32) {
	k.emit("red.global.min.s32 [%v+%d], %v", a, offset, v)
}

// MaxAtomic makes the signed number at a+offset bytes in global memory the greater of itself and v.
func (k *Kernel) MaxAtomic(a B64, offset int, v B32) {
	k.emit("red.global.max.s32 [%v+%d], %v", a, offset, v)
}

// Shared is the address of the block's shared memory, whose size each launch gives.
func (k *Kernel) Shared() B32 {
	k.shared = true
	return k.op32("mov.u32 %v, shared_%s", k.name)
}

// LoadShared reads n = 1, 2 or 4 words at a+offset bytes in shared memory, aligned to their size.
func (k *Kernel) LoadShared(a B32, offset, n int) []B32 {
	regs := k.newWords(n)
	suffix, operand := vector(regs)
	k.emit("ld.shared%s.b32 %s, [%v+%d]", suffix, operand, a, offset)
	return regs
}

// StoreShared writes 1, 2 or 4 words at a+offset bytes in shared memory.
func (k *Kernel) StoreShared(a B32, offset int, regs ...B32) {
	suffix, operand := vector(regs)
	k.emit("st.shared%s.b32 [%v+%d], %s", suffix, a, offset, operand)
}

// StoreSharedIf is StoreShared in the threads in which p is true.
func (k *Kernel) StoreSharedIf(p Pred, a B32, offset int, regs ...B32) {
	suffix, operand := vector(regs)
	k.emit("@%v st.shared%s.b32 [%v+%d], %s", p, suffix, a, offset, operand)
}
