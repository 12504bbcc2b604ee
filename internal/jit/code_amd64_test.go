//go:build unix || windows

package jit

import "github.com/gosper-life/gosper/internal/jit/amd64"

// Code of this processor for the tests.
type assembler = amd64.Assembler

// twoEntries doubles the number that args points to, and quadruples it from the second entry on, which is in
// another page.
func twoEntries(a *assembler) (second uintptr) {
	number := amd64.Mem{Base: amd64.RDI}
	again := a.Here()
	a.MOV(amd64.RAX, number)
	a.ADD(amd64.RAX, amd64.RAX)
	a.MOV(number, amd64.RAX)
	a.VZEROUPPER()
	a.RET()
	a.Align(4096)
	second = a.Offset()
	a.MOV(amd64.RAX, number)
	a.ADD(number, amd64.RAX)
	a.JMP(again)
	return second
}

// clobber overwrites every register that generated code may, then returns.
func clobber(a *assembler) {
	for r := amd64.RAX; r <= amd64.R15; r++ {
		if r != amd64.RSP && r != amd64.RBP {
			a.MOV(r, amd64.Imm(0x5555_5555_5555_5555))
		}
	}
	if HasAVX512() {
		for n := range 32 {
			a.VPTERNLOGQ(amd64.Z(n), amd64.Z(n), amd64.Z(n), 0xff)
		}
	} else if HasAVX2() {
		for n := range 16 {
			a.VMOVDQU(amd64.Y(n), amd64.Mem{Base: amd64.RSP}) // the return address, for one
		}
	}
	a.VZEROUPPER()
	a.RET()
}

// counting adds args[1] to args[0], one at a time.
func counting(a *assembler) {
	a.MOV(amd64.RCX, amd64.Mem{Base: amd64.RDI, Disp: 8})
	loop := a.Here()
	a.ADD(amd64.Mem{Base: amd64.RDI}, amd64.Imm(1))
	a.DEC(amd64.RCX)
	a.JNE(loop)
	clobber(a)
}
