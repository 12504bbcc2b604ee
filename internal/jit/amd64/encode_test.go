package amd64

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

// at is the memory at base + disp.
func at(base Reg, disp int32) Mem { return Mem{Base: base, Disp: disp} }

// TestEncoding holds the corners, in Intel's syntax with the bytes that GNU as has for them.
func TestEncoding(t *testing.T) {
	for _, test := range []struct {
		intel string
		emit  func(*Assembler)
		want  string
	}{
		// The three special registers of ModRM and SIB.
		{"mov rax, [rax]", func(a *Assembler) { a.MOV(RAX, at(RAX, 0)) }, "48 8b 00"},
		{"mov rax, [rsp]", func(a *Assembler) { a.MOV(RAX, at(RSP, 0)) }, "48 8b 04 24"},
		{"mov rax, [rbp]", func(a *Assembler) { a.MOV(RAX, at(RBP, 0)) }, "48 8b 45 00"},
		{"mov rax, [r12]", func(a *Assembler) { a.MOV(RAX, at(R12, 0)) }, "49 8b 04 24"},
		{"mov rax, [r13]", func(a *Assembler) { a.MOV(RAX, at(R13, 0)) }, "49 8b 45 00"},
		{"mov r15, [r13+r12*8]", func(a *Assembler) { a.MOV(R15, Mem{Base: R13, Index: R12, Scale: 8}) }, "4f 8b 7c e5 00"},
		{
			"mov r8, [rsp+rbp*4+127]",
			func(a *Assembler) { a.MOV(R8, Mem{Base: RSP, Index: RBP, Scale: 4, Disp: 127}) }, "4c 8b 44 ac 7f",
		},
		{
			"mov r8, [rsp+rbp*2+128]",
			func(a *Assembler) { a.MOV(R8, Mem{Base: RSP, Index: RBP, Scale: 2, Disp: 128}) }, "4c 8b 84 6c 80 00 00 00",
		},
		{"mov [r12-128], r9", func(a *Assembler) { a.MOV(at(R12, -128), R9) }, "4d 89 4c 24 80"},
		{"mov [r12-129], r9", func(a *Assembler) { a.MOV(at(R12, -129), R9) }, "4d 89 8c 24 7f ff ff ff"},
		{"prefetchw [rcx]", func(a *Assembler) { a.PREFETCHW(at(RCX, 0)) }, "0f 0d 09"},
		{
			"prefetchw [r9+r10*1+64]",
			func(a *Assembler) { a.PREFETCHW(Mem{Base: R9, Index: R10, Scale: 1, Disp: 64}) }, "43 0f 0d 4c 11 40",
		},

		// Immediates of each length.
		{"mov eax, 0", func(a *Assembler) { a.MOV(RAX, Imm(0)) }, "b8 00 00 00 00"},
		{"mov r15d, 0xffffffff", func(a *Assembler) { a.MOV(R15, Imm(0xffffffff)) }, "41 bf ff ff ff ff"},
		{"mov rcx, -1", func(a *Assembler) { a.MOV(RCX, Imm(-1)) }, "48 c7 c1 ff ff ff ff"},
		{"movabs rcx, 0x100000000", func(a *Assembler) { a.MOV(RCX, Imm(1<<32)) }, "48 b9 00 00 00 00 01 00 00 00"},
		{"mov qword ptr [rbx], -2", func(a *Assembler) { a.MOV(at(RBX, 0), Imm(-2)) }, "48 c7 03 fe ff ff ff"},
		{"add rdi, 127", func(a *Assembler) { a.ADD(RDI, Imm(127)) }, "48 83 c7 7f"},
		{"add rdi, 128", func(a *Assembler) { a.ADD(RDI, Imm(128)) }, "48 81 c7 80 00 00 00"},
		{"sub r8, -128", func(a *Assembler) { a.SUB(R8, Imm(-128)) }, "49 83 e8 80"},
		{"cmp qword ptr [r13], 5", func(a *Assembler) { a.CMP(at(R13, 0), Imm(5)) }, "49 83 7d 00 05"},

		// VEX of two bytes, and of three for each reason.
		{"vpand ymm9, ymm15, ymm7", func(a *Assembler) { a.VPAND(Y(9), Y(15), Y(7)) }, "c5 05 db cf"},
		{"vpand ymm7, ymm0, ymm8", func(a *Assembler) { a.VPAND(Y(7), Y(0), Y(8)) }, "c4 c1 7d db f8"},
		{
			"vpor ymm1, ymm2, [rax+r8*1]",
			func(a *Assembler) { a.VPOR(Y(1), Y(2), Mem{Base: RAX, Index: R8, Scale: 1}) }, "c4 a1 6d eb 0c 00",
		},
		{"vpermq ymm1, ymm2, 147", func(a *Assembler) { a.VPERMQ(Y(1), Y(2), 147) }, "c4 e3 fd 00 ca 93"},
		{"vpxor xmm3, xmm3, xmm3", func(a *Assembler) { a.VPXOR(X(3), X(3), X(3)) }, "c5 e1 ef db"},
		{"vmovdqu ymm15, [r15+32]", func(a *Assembler) { a.VMOVDQU(Y(15), at(R15, 32)) }, "c4 41 7e 6f 7f 20"},
		{"vpsrlq ymm12, ymm3, 63", func(a *Assembler) { a.VPSRLQ(Y(12), Y(3), 63) }, "c5 9d 73 d3 3f"},
		{"vzeroupper", (*Assembler).VZEROUPPER, "c5 f8 77"},

		// EVEX: each register bit, and the unit of the 8-bit displacement.
		{
			"vpternlogq zmm0, zmm0, zmm0, 0x96",
			func(a *Assembler) { a.VPTERNLOGQ(Z(0), Z(0), Z(0), 0x96) }, "62 f3 fd 48 25 c0 96",
		},
		{
			"vpternlogq zmm8, zmm0, zmm0, 0x96",
			func(a *Assembler) { a.VPTERNLOGQ(Z(8), Z(0), Z(0), 0x96) }, "62 73 fd 48 25 c0 96",
		},
		{
			"vpternlogq zmm16, zmm0, zmm0, 0x96",
			func(a *Assembler) { a.VPTERNLOGQ(Z(16), Z(0), Z(0), 0x96) }, "62 e3 fd 48 25 c0 96",
		},
		{
			"vpternlogq zmm0, zmm16, zmm0, 0x96",
			func(a *Assembler) { a.VPTERNLOGQ(Z(0), Z(16), Z(0), 0x96) }, "62 f3 fd 40 25 c0 96",
		},
		{
			"vpternlogq zmm0, zmm15, zmm0, 0x96",
			func(a *Assembler) { a.VPTERNLOGQ(Z(0), Z(15), Z(0), 0x96) }, "62 f3 85 48 25 c0 96",
		},
		{
			"vpternlogq zmm0, zmm0, zmm8, 0x96",
			func(a *Assembler) { a.VPTERNLOGQ(Z(0), Z(0), Z(8), 0x96) }, "62 d3 fd 48 25 c0 96",
		},
		{
			"vpternlogq zmm0, zmm0, zmm16, 0x96",
			func(a *Assembler) { a.VPTERNLOGQ(Z(0), Z(0), Z(16), 0x96) }, "62 b3 fd 48 25 c0 96",
		},
		{
			"vpternlogq zmm31, zmm31, zmm31, 0xe8",
			func(a *Assembler) { a.VPTERNLOGQ(Z(31), Z(31), Z(31), 0xe8) }, "62 03 85 40 25 ff e8",
		},
		{
			"vpternlogq zmm1, zmm2, [r13], 1",
			func(a *Assembler) { a.VPTERNLOGQ(Z(1), Z(2), at(R13, 0), 1) }, "62 d3 ed 48 25 4d 00 01",
		},
		{
			"vpternlogq zmm1, zmm2, [rax+8128], 1",
			func(a *Assembler) { a.VPTERNLOGQ(Z(1), Z(2), at(RAX, 8128), 1) }, "62 f3 ed 48 25 48 7f 01",
		},
		{
			"vpternlogq zmm1, zmm2, [rax+8192], 1",
			func(a *Assembler) { a.VPTERNLOGQ(Z(1), Z(2), at(RAX, 8192), 1) }, "62 f3 ed 48 25 88 00 20 00 00 01",
		},
		{
			"vpternlogq zmm1, zmm2, [rax-8192], 1",
			func(a *Assembler) { a.VPTERNLOGQ(Z(1), Z(2), at(RAX, -8192), 1) }, "62 f3 ed 48 25 48 80 01",
		},
		{
			"vpternlogq zmm1, zmm2, [rax+8], 1",
			func(a *Assembler) { a.VPTERNLOGQ(Z(1), Z(2), at(RAX, 8), 1) }, "62 f3 ed 48 25 88 08 00 00 00 01",
		},
		{"vpaddq ymm1, ymm2, ymm3", func(a *Assembler) { a.VPADDQ(Y(1), Y(2), Y(3)) }, "c5 ed d4 cb"},
		{"vpaddq ymm16, ymm2, ymm3", func(a *Assembler) { a.VPADDQ(Y(16), Y(2), Y(3)) }, "62 e1 ed 28 d4 c3"},
		{"vmovdqu64 [rdi+r11*8+64], zmm30", func(a *Assembler) {
			a.VMOVDQU64(Mem{Base: RDI, Index: R11, Scale: 8, Disp: 64}, Z(30))
		}, "62 21 fe 48 7f 74 df 01"},
		{"vmovdqu64 ymm17, [rdi+32]", func(a *Assembler) { a.VMOVDQU64(Y(17), at(RDI, 32)) }, "62 e1 fe 28 6f 4f 01"},
		{"vpsllq zmm20, zmm21, 1", func(a *Assembler) { a.VPSLLQ(Z(20), Z(21), 1) }, "62 b1 dd 40 73 f5 01"},

		// Forms for which other assemblers have a shorter one; these are right too (SDM volume 2, ADD, TEST).
		{"add rax, 128", func(a *Assembler) { a.ADD(RAX, Imm(128)) }, "48 81 c0 80 00 00 00"},
		{"test rax, 1", func(a *Assembler) { a.TEST(RAX, Imm(1)) }, "48 f7 c0 01 00 00 00"},
	} {
		var a Assembler
		test.emit(&a)
		got, err := a.Code()
		if err != nil || hex.EncodeToString(got) != strings.ReplaceAll(test.want, " ", "") {
			t.Errorf("%s: % x, error %v, want %s", test.intel, got, err, test.want)
		}
	}
}

func TestJumps(t *testing.T) {
	var a Assembler
	end := a.NewLabel()
	a.JMP(end)
	top := a.Here()
	a.JE(top)
	a.JNE(top)
	a.JB(top)
	a.JAE(end)
	a.Bind(end)
	a.JMP(end)
	got, err := a.Code()
	want := "e9 18000000" + // over the 24 bytes of four conditional jumps
		"0f84 faffffff" + "0f85 f4ffffff" + "0f82 eeffffff" + "0f83 00000000" + "e9 fbffffff"
	if err != nil || hex.EncodeToString(got) != strings.ReplaceAll(want, " ", "") {
		t.Errorf("%x, error %v, want %s", got, err, want)
	}
	again, err := a.Code()
	if err != nil || !bytes.Equal(again, got) {
		t.Errorf("Code a second time: %x, error %v", again, err)
	}
}

func TestAlign(t *testing.T) {
	for size := range 64 {
		var a Assembler
		for range size {
			a.RET()
		}
		a.Align(64)
		text, err := a.Code()
		if err != nil || len(text) != (size+63)/64*64 || int(a.Offset()) != len(text) {
			t.Fatalf("%d bytes became %d, error %v", size, len(text), err)
		}
		fill := text[size:]
		for len(fill) > 0 {
			n := len(nops[min(len(fill), len(nops))-1])
			if !bytes.Equal(fill[:n], nops[n-1]) {
				t.Fatalf("filled with % x", fill)
			}
			fill = fill[n:]
		}
	}
	var a Assembler
	a.Align(4096)
	if a.Offset() != 0 {
		t.Error("nothing was aligned with something")
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		emit func(*Assembler)
		want string
	}{
		{func(a *Assembler) { a.VPAND(Y(16), Y(0), Y(0)) }, "vpand: vector registers 16 to 31 need EVEX"},
		{func(a *Assembler) { a.VPAND(Z(0), Z(0), Z(0)) }, "vpand: no form with these operands at 512 bits"},
		{func(a *Assembler) { a.VPAND(Y(0), X(0), Y(0)) }, "vpand: a source of 128 bits where 256 are needed"},
		{func(a *Assembler) { a.VPAND(Y(0), Y(0), X(0)) }, "vpand: a source of 128 bits where 256 are needed"},
		{func(a *Assembler) { a.VPANDQ(Z(0), Z(0), RAX) }, "vpandq: a general register or immediate where"},
		{func(a *Assembler) { a.VPANDQ(Z(0), Z(0), Imm(1)) }, "vpandq: a general register or immediate where"},
		{func(a *Assembler) { a.VPANDQ(Z(0), Z(0), nil) }, "vpandq: a general register or immediate where"},
		{func(a *Assembler) { a.VPANDQ(Z(32), Z(0), Z(0)) }, "vector register 32 does not exist"},
		{func(a *Assembler) { a.VPANDQ(Z(0), Z(-1), Z(0)) }, "vector register -1 does not exist"},
		{func(a *Assembler) { a.VPANDQ(Z(0), Z(0), Z(99)) }, "vector register 99 does not exist"},
		{func(a *Assembler) { a.VPANDQ(Vec{0, 3}, Vec{0, 3}, Vec{0, 3}) }, "vector width 3 does not exist"},
		{func(a *Assembler) { a.VPERMQ(X(0), X(0), 0) }, "vpermq: no form with these operands at 128 bits"},
		{func(a *Assembler) { a.VMOVDQU64(Mem{}, Mem{}) }, "vmovdqu64: one operand must be a vector register"},
		{func(a *Assembler) { a.VMOVDQU64(Z(0), Y(0)) }, "vmovdqu64: a source of"},
		{func(a *Assembler) { a.VMOVDQU(Y(0), Mem{Scale: 3}) }, "vmovdqu: index scale 3"},
		{func(a *Assembler) { a.VMOVDQU(Y(0), Mem{Scale: 1, Index: RSP}) }, "vmovdqu: rsp cannot be an index"},
		{func(a *Assembler) { a.VMOVDQU(Y(0), Mem{Base: 16}) }, "vmovdqu: general register 16 does not exist"},
		{func(a *Assembler) { a.MOV(Mem{}, Mem{}) }, "mov: memory can be loaded into a general register only"},
		{func(a *Assembler) { a.MOV(Mem{}, Imm(1<<31)) }, "mov: immediate 2147483648 does not fit"},
		{func(a *Assembler) { a.MOV(RAX, Z(0)) }, "mov: the source must be"},
		{func(a *Assembler) { a.MOV(Imm(0), RAX) }, "mov: an operand must be"},
		{func(a *Assembler) { a.MOV(Reg(16), Imm(0)) }, "mov: general register 16 does not exist"},
		{func(a *Assembler) { a.MOV(Reg(16), Imm(-1<<63)) }, "mov: general register 16 does not exist"},
		{func(a *Assembler) { a.ADD(RAX, Imm(1<<31)) }, "add: immediate 2147483648 does not fit"},
		{func(a *Assembler) { a.ADD(Mem{}, Mem{}) }, "add: a source in memory needs"},
		{func(a *Assembler) { a.ADD(RAX, Z(0)) }, "add: the source must be"},
		{func(a *Assembler) { a.TEST(RAX, Mem{}) }, "test: the source must be"},
		{func(a *Assembler) { a.TEST(RAX, Imm(-1<<63)) }, "test: immediate"},
		{func(a *Assembler) { a.Align(48) }, "cannot align to 48 bytes"},
		{func(a *Assembler) { a.JMP(a.NewLabel()) }, "label 0 is jumped to but never bound"},
		{func(a *Assembler) { a.JMP(7) }, "label 7 does not belong"},
		{func(a *Assembler) { a.Bind(9); a.Align(48) }, "label 9 does not belong"},
		{func(a *Assembler) { a.Bind(-1) }, "label -1 does not belong"},
		{func(a *Assembler) { a.Bind(a.Here()) }, "label 0 is bound twice"},
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
}
