package arm64

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/jit/assembly"
)

// TestEncoding holds one of each instruction, and the jumps, to the words that LLVM's assembler has for them.
func TestEncoding(t *testing.T) {
	var a Assembler
	listing := a.List()
	end := a.NewLabel()
	top := a.Here()
	a.LDR(X1, Mem{X0, 32760})
	a.PRFM(Mem{X6, 64})
	a.ADD(X17, X3, X27)
	a.MOV(X9, X10)
	a.ADDI(X1, X1, 4095)
	a.SUBI(X1, X2, 4096)
	a.SUBSI(X2, X2, 8)
	a.CMPI(X2, 8)
	a.CMP(X3, X4)
	a.MOVI16(X2, 65535)
	a.LDP(0, 1, Mem{X8, -1024})
	a.STP(30, 31, Mem{X27, 1008})
	a.AND(1, 2, 3)
	a.BIC(1, 2, 3)
	a.ORR(1, 2, 3)
	a.ORN(1, 2, 3)
	a.EOR(31, 30, 29)
	a.BSL(1, 2, 3)
	a.BIT(1, 2, 3)
	a.BIF(1, 2, 3)
	a.EOR3(1, 2, 3, 4)
	a.BCAX(1, 2, 3, 4)
	a.MVN(5, 6)
	a.COPY(5, 6)
	a.MOVI(7, false)
	a.MOVI(7, true)
	a.ADDWords(1, 2, 3)
	a.SHL(1, 2, 63)
	a.USHR(1, 2, 1)
	a.EXT(1, 2, 3, 8)
	a.CBZ(X6, end)
	a.BNE(top)
	a.BHS(top)
	a.BLO(end)
	a.B(top)
	a.B(end)
	a.Align(16)
	a.Bind(end)
	a.RET()
	code, err := a.Code()
	if err != nil {
		t.Fatal(err)
	}
	const want = `L1:
0000  01 fc 7f f9                       ldr x1, [x0, #32760]
0004  d0 20 80 f9                       prfm pstl1keep, [x6, #64]
0008  71 00 1b 8b                       add x17, x3, x27
000c  e9 03 0a aa                       mov x9, x10
0010  21 fc 3f 91                       add x1, x1, #4095
0014  41 04 40 d1                       sub x1, x2, #4096
0018  42 20 00 f1                       subs x2, x2, #8
001c  5f 20 00 f1                       cmp x2, #8
0020  7f 00 04 eb                       cmp x3, x4
0024  e2 ff 9f d2                       mov x2, #65535
0028  00 05 60 ad                       ldp q0, q1, [x8, #-1024]
002c  7e ff 1f ad                       stp q30, q31, [x27, #1008]
0030  41 1c 23 4e                       and v1.16b, v2.16b, v3.16b
0034  41 1c 63 4e                       bic v1.16b, v2.16b, v3.16b
0038  41 1c a3 4e                       orr v1.16b, v2.16b, v3.16b
003c  41 1c e3 4e                       orn v1.16b, v2.16b, v3.16b
0040  df 1f 3d 6e                       eor v31.16b, v30.16b, v29.16b
0044  41 1c 63 6e                       bsl v1.16b, v2.16b, v3.16b
0048  41 1c a3 6e                       bit v1.16b, v2.16b, v3.16b
004c  41 1c e3 6e                       bif v1.16b, v2.16b, v3.16b
0050  41 10 03 ce                       eor3 v1.16b, v2.16b, v3.16b, v4.16b
0054  41 10 23 ce                       bcax v1.16b, v2.16b, v3.16b, v4.16b
0058  c5 58 20 6e                       mvn v5.16b, v6.16b
005c  c5 1c a6 4e                       mov v5.16b, v6.16b
0060  07 e4 00 6f                       movi v7.2d, #0000000000000000
0064  e7 e7 07 6f                       movi v7.2d, #0xffffffffffffffff
0068  41 84 e3 4e                       add v1.2d, v2.2d, v3.2d
006c  41 54 7f 4f                       shl v1.2d, v2.2d, #63
0070  41 04 7f 6f                       ushr v1.2d, v2.2d, #1
0074  41 40 03 6e                       ext v1.16b, v2.16b, v3.16b, #8
0078  c6 00 00 b4                       cbz x6, L0
007c  21 fc ff 54                       b.ne L1
0080  02 fc ff 54                       b.hs L1
0084  63 00 00 54                       b.lo L0
0088  de ff ff 17                       b L1
008c  01 00 00 14                       b L0
L0:
0090  c0 03 5f d6                       ret
`
	if got := listing.String(code); got != want {
		t.Errorf("listed:\n%s\nwant:\n%s", got, want)
	}
	if again, err := a.Code(); err != nil || string(again) != string(code) {
		t.Errorf("Code a second time: %x, error %v", again, err)
	}
}

func TestErrors(t *testing.T) {
	far := func(jump func(a *Assembler, l assembly.Label), instructions int) func(a *Assembler) {
		return func(a *Assembler) {
			l := a.NewLabel()
			jump(a, l)
			a.Emit(make([]byte, instructions*Bytes)...)
			a.Bind(l)
		}
	}
	for _, test := range []struct {
		emit func(*Assembler)
		want string
	}{
		{func(a *Assembler) { a.AND(32, 0, 0) }, "and: vector register 32 does not exist"},
		{func(a *Assembler) { a.BCAX(0, 0, 0, 99) }, "bcax: vector register 99 does not exist"},
		{func(a *Assembler) { a.MVN(0, 32) }, "mvn: vector register 32"},
		{func(a *Assembler) { a.COPY(32, 0) }, "mov: vector register 32"},
		{func(a *Assembler) { a.MOVI(32, true) }, "movi: vector register 32"},
		{func(a *Assembler) { a.LDP(3, 3, Mem{}) }, "ldp: vector register 3 is loaded twice"},
		{func(a *Assembler) {
			a.LDP(3, 4, Mem{Disp: 1024})
		}, "ldp: displacement 1024: allowed are multiples of 16 from -1024 to 1008"},
		{func(a *Assembler) { a.STP(3, 4, Mem{Disp: 8}) }, "stp: displacement 8"},
		{func(a *Assembler) { a.STP(3, 4, Mem{Base: 31}) }, "stp: general register 31 does not exist"},
		{func(a *Assembler) { a.LDR(X1, Mem{Disp: -8}) }, "ldr: displacement -8: allowed are multiples of 8 from 0 to 32760"},
		{func(a *Assembler) { a.PRFM(Mem{Disp: 32768}) }, "prfm: displacement 32768"},
		{func(a *Assembler) {
			a.ADDI(X1, X1, 4097)
		}, "add: immediate 4097: allowed are 0 to 4095 and their multiples by 4096"},
		{func(a *Assembler) { a.SUBI(X1, X1, -1) }, "sub: immediate -1"},
		{func(a *Assembler) { a.CMPI(X1, 1<<24) }, "cmp: immediate 16777216"},
		{func(a *Assembler) { a.MOVI16(31, 1) }, "mov: general register 31"},
		{func(a *Assembler) { a.MOVK16(X1, 1<<16) }, "movk: immediate 65536: allowed are 0 to 65535"},
		{func(a *Assembler) { a.SHL(0, 0, 64) }, "shl: count 64: allowed are 0 to 63"},
		{func(a *Assembler) { a.USHR(0, 0, 0) }, "ushr: count 0: allowed are 1 to 64"},
		{func(a *Assembler) { a.EXT(0, 0, 0, 16) }, "ext: count 16"},
		{func(a *Assembler) { a.Align(48) }, "cannot align to 48 bytes"},
		{func(a *Assembler) { a.B(a.NewLabel()) }, "label 0 is jumped to but never bound"},
		{func(a *Assembler) { a.BLO(7) }, "label 7 does not belong"},
		{far((*Assembler).BNE, 1<<18-1), "a jump of 1048576 bytes is over the 1024 KiB that it can reach"},
	} {
		var a Assembler
		a.RET()
		test.emit(&a)
		text, err := a.Code()
		if text != nil || err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.HasPrefix(err.Error(), "jit: at byte ") {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
	var a Assembler
	far((*Assembler).BNE, 1<<18-2)(&a)
	code, err := a.Code()
	if err != nil || fmt.Sprintf("%x", code[:Bytes]) != "e1ff7f54" {
		t.Errorf("the longest jump: % x, %v", code[:min(len(code), Bytes)], err)
	}
}
