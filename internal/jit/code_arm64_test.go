//go:build linux

package jit

import "github.com/gosper-life/gosper/internal/jit/arm64"

// Code of this processor for the tests.
type assembler = arm64.Assembler

// store stores X1 where X0 points to: kernels store vectors only.
func store(a *assembler) { a.Emit(0x01, 0x00, 0x00, 0xf9) }

// twoEntries doubles the number that args points to, and quadruples it from the second entry on, which is in
// another page.
func twoEntries(a *assembler) (second uintptr) {
	number := arm64.Mem{Base: arm64.X0}
	again := a.Here()
	a.LDR(arm64.X1, number)
	a.ADD(arm64.X1, arm64.X1, arm64.X1)
	store(a)
	a.RET()
	a.Align(4096)
	second = a.Offset()
	a.LDR(arm64.X1, number)
	a.ADD(arm64.X1, arm64.X1, arm64.X1)
	store(a)
	a.B(again)
	return second
}

// clobber overwrites every register that generated code may, then returns.
func clobber(a *assembler) {
	for r := arm64.X0; r <= arm64.X27; r++ {
		if r != arm64.X18 {
			a.MOVI16(r, 0x5555)
		}
	}
	for v := range arm64.Vec(32) {
		a.MOVI(v, true)
	}
	a.CMPI(arm64.X0, 0)
	a.RET()
}

// counting adds args[1] to args[0], one at a time.
func counting(a *assembler) {
	a.LDR(arm64.X2, arm64.Mem{Base: arm64.X0, Disp: 8})
	loop := a.Here()
	a.LDR(arm64.X1, arm64.Mem{Base: arm64.X0})
	a.ADDI(arm64.X1, arm64.X1, 1)
	store(a)
	a.SUBSI(arm64.X2, arm64.X2, 1)
	a.BNE(loop)
	clobber(a)
}
