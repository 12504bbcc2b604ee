//go:build unix || windows

#include "textflag.h"

// func call(code, args unsafe.Pointer)
//
// The jump leaves the return address on top of the stack, so the RET of the generated code returns to the caller of
// call. Both arguments are read before it: the generated code sees no frame of its own.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ code+0(FP), AX
	MOVQ args+8(FP), DI
	JMP  AX
