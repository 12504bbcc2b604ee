package amd64

import "testing"

// A listing names every instruction, with its operands, labels and bytes; the code is the same as without.
func TestListing(t *testing.T) {
	assemble := func(a *Assembler) {
		done := a.NewLabel()
		top := a.Here()
		a.MOV(RAX, Mem{Base: RDI, Disp: 8})
		a.VMOVDQU64(Z(1), Mem{Base: RBX, Index: RAX, Scale: 8, Disp: -64})
		a.VPTERNLOGQ(Z(2), Z(1), Mem{Base: RCX}, 0x96)
		a.VPSRLQ(Y(3), Y(4), 7)
		a.VMOVDQU(Mem{Base: R9}, Y(3))
		a.TEST(RAX, RAX)
		a.JE(done)
		a.SUB(RAX, Imm(-300))
		a.DEC(RCX)
		a.JNE(top)
		a.Align(8)
		a.Bind(done)
		a.VZEROUPPER()
		a.RET()
	}
	var plain, listed Assembler
	assemble(&plain)
	listing := listed.List()
	assemble(&listed)
	want, err := plain.Code()
	if err != nil {
		t.Fatal(err)
	}
	code, err := listed.Code()
	if err != nil || string(code) != string(want) {
		t.Fatalf("% x, want % x (%v)", code, want, err)
	}
	const text = `L1:
0000  48 8b 47 08                       mov rax, [rdi+8]
0004  62 f1 fe 48 6f 4c c3 ff           vmovdqu64 z1, [rbx+8*rax-64]
000c  62 f3 f5 48 25 11 96              vpternlogq z2, z1, [rcx], 0x96
0013  c5 e5 73 d4 07                    vpsrlq y3, y4, 7
0018  c4 c1 7e 7f 19                    vmovdqu [r9], y3
001d  48 85 c0                          test rax, rax
0020  0f 84 12 00 00 00                 je L0
0026  48 81 e8 d4 fe ff ff              sub rax, -300
002d  48 ff c9                          dec rcx
0030  0f 85 ca ff ff ff                 jne L1
0036  66 90                             nop
L0:
0038  c5 f8 77                          vzeroupper
003b  c3                                ret
`
	if got := listing.String(code); got != text {
		t.Errorf("listed:\n%s\nwant:\n%s", got, text)
	}
}
