#include "textflag.h"

// A round of Philox for eight sequences with the words a, b, c and d, of which only the low halves count: they are a, q, c and p then. Z28, Z29: the
// multipliers; xor: the instruction that reads key0 and key1.
#define ROUND(xor, key0, key1, a, b, c, d, p, q) \
	VPMULUDQ Z28, a, p; \
	VPMULUDQ Z29, c, q; \
	VPSHUFD  $0xF5, q, a; \
	xor      $0x96, key0, b, a; \
	VPSHUFD  $0xF5, p, c; \
	xor      $0x96, key1, d, c

// Round k with keys of all sequences in memory.
#define ROUNDAT(k, a, b, c, d, p, q) \
	ROUND(VPTERNLOGQ.BCST, (16*(k))(R10), (16*(k)+8)(R10), a, b, c, d, p, q)

// The same with keys of each sequence in Z20 and Z21. Z22, Z23: what they grow by.
#define KEYED \
	ROUND(VPTERNLOGQ, Z20, Z21, Z0, Z1, Z2, Z3, Z4, Z5); \
	VMOVDQA64 Z5, Z1; \
	VMOVDQA64 Z4, Z3; \
	VPADDQ    Z22, Z20, Z20; \
	VPADDQ    Z23, Z21, Z21

// The first states of low halves, in a, and of high halves, in c, from words a, b, c and d.
#define BEGIN(a, b, c, d) \
	VPSHUFD $0xA0, b, K1, a; \
	VPSHUFD $0xA0, d, K1, c

// The first states of the sequences whose numbers are in a.
#define PHILOX(a, b, c, d, p, q) \
	VPBROADCASTQ 64(R9), b; \
	VPBROADCASTQ 72(R9), c; \
	VPBROADCASTQ 80(R9), d; \
	ROUNDAT(0, a, b, c, d, p, q); \
	ROUNDAT(1, a, q, c, p, d, b); \
	ROUNDAT(2, a, b, c, d, p, q); \
	ROUNDAT(3, a, q, c, p, d, b); \
	ROUNDAT(4, a, b, c, d, p, q); \
	ROUNDAT(5, a, q, c, p, d, b); \
	ROUNDAT(6, a, b, c, d, p, q); \
	BEGIN(a, q, c, p)

// The first states of the vector at R9, in Z0 and Z2. Z18 to Z27 have the keys of Eights.
#define RESUME \
	VMOVDQU64 (R9), Z0; \
	VMOVDQU64 64(R9), Z3; \
	VPXORQ    Z18, Z0, Z2; \
	VPMULUDQ  Z29, Z2, Z1; \
	VPXORQ    Z1, Z0, Z0; \
	VPSHUFD   $0xF5, Z0, Z0; \
	VPXORQ    Z19, Z3, Z2; \
	VPSHUFD   $0xF5, Z2, Z2; \
	ROUND(VPTERNLOGQ, Z20, Z21, Z0, Z1, Z2, Z3, Z4, Z5); \
	ROUND(VPTERNLOGQ, Z22, Z23, Z0, Z5, Z2, Z4, Z3, Z1); \
	ROUND(VPTERNLOGQ, Z24, Z25, Z0, Z1, Z2, Z3, Z4, Z5); \
	ROUND(VPTERNLOGQ, Z26, Z27, Z0, Z5, Z2, Z4, Z3, Z1); \
	BEGIN(Z0, Z1, Z2, Z3)

// The next words of eight sequences, in w. low, high: the states of low and high halves, with their own halves changed in s and t then; K1: high halves.
#define WORDS(low, high, s, t, w) \
	VPSHUFD $0xB1, low, s; \
	VPSHUFD $0xB1, high, t; \
	VPXORQ  s, low, w; \
	VPXORD  t, high, K1, w

// The states after those whose words were made. The multiplier is 2^32 less a small number, which Z30 has: so a state is the one before with its halves
// changed, less that number times the low half.
#define NEXT(low, high, s, t) \
	VPMULUDQ Z30, low, low; \
	VPMULUDQ Z30, high, high; \
	VPSUBQ   low, s, low; \
	VPSUBQ   high, t, high

// The multipliers of Philox in Z28 and Z29, 2^32 less that of a level in Z30, and the high and low halves of words in K1 and K3.
#define MULTIPLIERS \
	MOVQ         $0xD2511F53, AX; \
	VPBROADCASTQ AX, Z28; \
	MOVQ         $0xCD9E8D57, AX; \
	VPBROADCASTQ AX, Z29; \
	MOVQ         $83941, AX; \
	VPBROADCASTQ AX, Z30; \
	MOVQ         $0xAAAA, AX; \
	KMOVW        AX, K1; \
	KNOTW        K1, K3

// The first states, in Z0 and Z2, of eight streams at R9.
#define STREAMS \
	MOVQ         $0x9E3779B9, AX; \
	VPBROADCASTQ AX, Z22; \
	MOVQ         $0xBB67AE85, AX; \
	VPBROADCASTQ AX, Z23; \
	VPMOVZXDQ    (R9), Z0; \
	VPMOVZXDQ    32(R9), Z1; \
	VPMOVZXDQ    64(R9), Z20; \
	VPMOVZXDQ    96(R9), Z21; \
	VPBROADCASTD 128(R9), Z2; \
	VPBROADCASTD 132(R9), Z3; \
	KEYED; \
	KEYED; \
	KEYED; \
	KEYED; \
	KEYED; \
	KEYED; \
	KEYED; \
	BEGIN(Z0, Z1, Z2, Z3)

// What climb has at R14: the first states of up to CHUNK eights, what is left of those whose cells are not all decided, and eight zeros.
#define CHUNK 32
#define LEFT 4096
#define LEFTBYTES 320
#define ZEROS 15296
#define ROOM 15424

// A level where the probability has a 0: cells may be certain not to be below it.
#define LEVEL(words, below, perhaps) \
	VPTERNLOGQ $0xDC, words, below, perhaps

// A level where it has a 1: cells may be certain to be.
#define LEVELUP(words, below, perhaps) \
	VPTERNLOGQ $0xF4, words, perhaps, below

// Decides cells of one probability where their bits are not its digit: open has those that no level has decided. A state and the same with its halves changed
// have equal bits where that of the word is 0; table: open & (a == b) for the digit 0, open & (a != b) for 1.
#define DECIDE(table, low, high, s, t, open) \
	VPTERNLOGD table, s, low, K3, open; \
	VPTERNLOGD table, t, high, K1, open

#define HALVES(low, high, s, t) \
	VPSHUFD $0xB1, low, s; \
	VPSHUFD $0xB1, high, t

// Four ladders of eight sequences side by side, since the levels of one wait for each other: from level BX on to R13. R11 and R12 have the digits of the
// probabilities. Of the first ladder, Z0 and Z1 are the states and Z8 the cells below the probability, and the next two and one belong to the second
// ladder, and so on. If SI is 0, there is one probability, and Z12 are the cells that no level has decided: a cell is decided where its bit is not
// the probability's digit, and is below if that is 1. So those below are what runs of ones have decided: the cells before a run, in Z24, without those
// after it. The states are those before the words of the last level. Else Z8 are the cells certainly below, Z12 those perhaps, and Z16 and Z20 those of the second
// probability: words are put together once for both. The states are those after the words.
TEXT levels<>(SB), NOSPLIT|NOFRAME, $0-0
	TESTQ SI, SI
	JNZ   two
	TESTQ BX, BX
	JNZ   resume
	BTQ   BX, R11
	JC    begin
	JMP   zero

resume:
	HALVES(Z0, Z1, Z16, Z17)
	HALVES(Z2, Z3, Z18, Z19)
	HALVES(Z4, Z5, Z20, Z21)
	HALVES(Z6, Z7, Z22, Z23)
	BTQ BX, R11
	JC  rise

nextzero:
	NEXT(Z0, Z1, Z16, Z17)
	NEXT(Z2, Z3, Z18, Z19)
	NEXT(Z4, Z5, Z20, Z21)
	NEXT(Z6, Z7, Z22, Z23)

zero:
	HALVES(Z0, Z1, Z16, Z17)
	HALVES(Z2, Z3, Z18, Z19)
	HALVES(Z4, Z5, Z20, Z21)
	HALVES(Z6, Z7, Z22, Z23)
	DECIDE($0x90, Z0, Z1, Z16, Z17, Z12)
	DECIDE($0x90, Z2, Z3, Z18, Z19, Z13)
	DECIDE($0x90, Z4, Z5, Z20, Z21, Z14)
	DECIDE($0x90, Z6, Z7, Z22, Z23, Z15)
	INCQ BX
	CMPQ BX, R13
	JGE  end
	BTQ  BX, R11
	JNC  nextzero

rise:
	NEXT(Z0, Z1, Z16, Z17)
	NEXT(Z2, Z3, Z18, Z19)
	NEXT(Z4, Z5, Z20, Z21)
	NEXT(Z6, Z7, Z22, Z23)

begin:
	VMOVDQA64 Z12, Z24
	VMOVDQA64 Z13, Z25
	VMOVDQA64 Z14, Z26
	VMOVDQA64 Z15, Z27
	JMP one

nextone:
	NEXT(Z0, Z1, Z16, Z17)
	NEXT(Z2, Z3, Z18, Z19)
	NEXT(Z4, Z5, Z20, Z21)
	NEXT(Z6, Z7, Z22, Z23)

one:
	HALVES(Z0, Z1, Z16, Z17)
	HALVES(Z2, Z3, Z18, Z19)
	HALVES(Z4, Z5, Z20, Z21)
	HALVES(Z6, Z7, Z22, Z23)
	DECIDE($0x60, Z0, Z1, Z16, Z17, Z12)
	DECIDE($0x60, Z2, Z3, Z18, Z19, Z13)
	DECIDE($0x60, Z4, Z5, Z20, Z21, Z14)
	DECIDE($0x60, Z6, Z7, Z22, Z23, Z15)
	INCQ BX
	CMPQ BX, R13
	JGE  fall
	BTQ  BX, R11
	JC   nextone

fall:
	VPTERNLOGQ $0x96, Z12, Z24, Z8
	VPTERNLOGQ $0x96, Z13, Z25, Z9
	VPTERNLOGQ $0x96, Z14, Z26, Z10
	VPTERNLOGQ $0x96, Z15, Z27, Z11
	CMPQ BX, R13
	JL   nextzero

end:
	RET

two:
	WORDS(Z0, Z1, Z28, Z29, Z24)
	NEXT(Z0, Z1, Z28, Z29)
	WORDS(Z2, Z3, Z28, Z29, Z25)
	NEXT(Z2, Z3, Z28, Z29)
	WORDS(Z4, Z5, Z28, Z29, Z26)
	NEXT(Z4, Z5, Z28, Z29)
	WORDS(Z6, Z7, Z28, Z29, Z27)
	NEXT(Z6, Z7, Z28, Z29)
	BTQ BX, R11
	JC  up1
	LEVEL(Z24, Z8, Z12)
	LEVEL(Z25, Z9, Z13)
	LEVEL(Z26, Z10, Z14)
	LEVEL(Z27, Z11, Z15)
	JMP other

up1:
	LEVELUP(Z24, Z8, Z12)
	LEVELUP(Z25, Z9, Z13)
	LEVELUP(Z26, Z10, Z14)
	LEVELUP(Z27, Z11, Z15)

other:
	BTQ  BX, R12
	JC   up2
	LEVEL(Z24, Z16, Z20)
	LEVEL(Z25, Z17, Z21)
	LEVEL(Z26, Z18, Z22)
	LEVEL(Z27, Z19, Z23)
	INCQ BX
	CMPQ BX, R13
	JL   two
	RET

up2:
	LEVELUP(Z24, Z16, Z20)
	LEVELUP(Z25, Z17, Z21)
	LEVELUP(Z26, Z18, Z22)
	LEVELUP(Z27, Z19, Z23)
	INCQ BX
	CMPQ BX, R13
	JL   two
	RET

// Adds one of the four ladders, whose words are at DI and so many bytes more, to what is left, which ends at DX, if K2 has words with cells that are not
// decided.
#define KEEP(at, low, high, perhaps) \
	VMOVDQU64 low, (R14)(DX*1); \
	VMOVDQU64 high, 64(R14)(DX*1); \
	VMOVDQU64 perhaps, 128(R14)(DX*1); \
	LEAQ      at(DI), R15; \
	MOVQ      R15, 256(R14)(DX*1); \
	KMOVW     K2, R15; \
	NEGQ      R15; \
	SBBQ      R15, R15; \
	ANDQ      $LEFTBYTES, R15; \
	ADDQ      R15, DX

#define KEEPONE(at, low, high, open) \
	VPTESTMQ open, open, K2; \
	KEEP(at, low, high, open)

#define KEEPTWO(at, low, high, below, perhaps, below2, perhaps2) \
	VPCMPUQ   $4, perhaps, below, K2; \
	VPCMPUQ   $4, perhaps2, below2, K4; \
	KORW      K4, K2, K2; \
	VMOVDQU64 perhaps2, 192(R14)(DX*1); \
	LEAQ      at(SI), R15; \
	MOVQ      R15, 264(R14)(DX*1); \
	KEEP(at, low, high, perhaps)

// Loads ladder n of four that are left.
#define LOAD(n, low, high, below, perhaps) \
	VMOVDQU64 (LEFTBYTES*n)(R14)(AX*1), low; \
	VMOVDQU64 (LEFTBYTES*n+64)(R14)(AX*1), high; \
	VMOVDQU64 (LEFTBYTES*n+128)(R14)(AX*1), perhaps; \
	MOVQ      (LEFTBYTES*n+256)(R14)(AX*1), R15; \
	VMOVDQU64 (R15), below

#define LOADSECOND(n, below, perhaps) \
	VMOVDQU64 (LEFTBYTES*n+192)(R14)(AX*1), perhaps; \
	MOVQ      (LEFTBYTES*n+264)(R14)(AX*1), R15; \
	VMOVDQU64 (R15), below

#define STORE(n, at, below) \
	MOVQ      (LEFTBYTES*n+at)(R14)(AX*1), R15; \
	VMOVDQU64 below, (R15)

// An empty place behind what is left.
#define EMPTY(n) \
	VMOVDQU64 Z8, (LEFTBYTES*n+128)(R14)(DX*1); \
	VMOVDQU64 Z8, (LEFTBYTES*n+192)(R14)(DX*1); \
	MOVQ      R15, (LEFTBYTES*n+256)(R14)(DX*1); \
	MOVQ      R15, (LEFTBYTES*n+264)(R14)(DX*1)

// Climbs the ladders of CX eights, a multiple of four, whose first states are at R14. R8 has the levels, R11 and R12 the digits of the probabilities.
// The words go to DI, and to SI if that is not 0, which are behind them afterwards. After eleven levels the eights whose cells are not all decided are put
// side by side, and only they go on: a branch that is not foreseen, or levels that nothing needs, would cost more.
TEXT climb<>(SB), NOSPLIT|NOFRAME, $0-0
	XORQ    AX, AX
	MOVQ    $LEFT, DX
	MOVQ    $11, R13
	CMPQ    R8, R13
	CMOVQLT R8, R13

four:
	VMOVDQU64  (R14)(AX*1), Z0
	VMOVDQU64  64(R14)(AX*1), Z1
	VMOVDQU64  128(R14)(AX*1), Z2
	VMOVDQU64  192(R14)(AX*1), Z3
	VMOVDQU64  256(R14)(AX*1), Z4
	VMOVDQU64  320(R14)(AX*1), Z5
	VMOVDQU64  384(R14)(AX*1), Z6
	VMOVDQU64  448(R14)(AX*1), Z7
	ADDQ       $512, AX
	VPXORQ     Z8, Z8, Z8
	VPXORQ     Z9, Z9, Z9
	VPXORQ     Z10, Z10, Z10
	VPXORQ     Z11, Z11, Z11
	VPTERNLOGQ $0xFF, Z12, Z12, Z12
	VMOVDQA64  Z12, Z13
	VMOVDQA64  Z12, Z14
	VMOVDQA64  Z12, Z15
	VPXORQ     Z16, Z16, Z16
	VPXORQ     Z17, Z17, Z17
	VPXORQ     Z18, Z18, Z18
	VPXORQ     Z19, Z19, Z19
	VMOVDQA64  Z12, Z20
	VMOVDQA64  Z12, Z21
	VMOVDQA64  Z12, Z22
	VMOVDQA64  Z12, Z23
	XORQ       BX, BX
	CALL       levels<>(SB)
	VMOVDQU64  Z8, (DI)
	VMOVDQU64  Z9, 64(DI)
	VMOVDQU64  Z10, 128(DI)
	VMOVDQU64  Z11, 192(DI)
	TESTQ      SI, SI
	JNZ        second
	KEEPONE(0, Z0, Z1, Z12)
	KEEPONE(64, Z2, Z3, Z13)
	KEEPONE(128, Z4, Z5, Z14)
	KEEPONE(192, Z6, Z7, Z15)
	ADDQ       $256, DI
	SUBQ       $4, CX
	JNZ        four
	JMP        left

second:
	VMOVDQU64 Z16, (SI)
	VMOVDQU64 Z17, 64(SI)
	VMOVDQU64 Z18, 128(SI)
	VMOVDQU64 Z19, 192(SI)
	KEEPTWO(0, Z0, Z1, Z8, Z12, Z16, Z20)
	KEEPTWO(64, Z2, Z3, Z9, Z13, Z17, Z21)
	KEEPTWO(128, Z4, Z5, Z10, Z14, Z18, Z22)
	KEEPTWO(192, Z6, Z7, Z11, Z15, Z19, Z23)
	ADDQ      $256, DI
	ADDQ      $256, SI
	SUBQ      $4, CX
	JNZ       four

left:
	CMPQ      R13, R8
	JGE       done
	MOVQ      $LEFT, AX
	CMPQ      AX, DX
	JEQ       done
	VPXORQ    Z8, Z8, Z8
	LEAQ      ZEROS(R14), R15
	VMOVDQU64 Z8, (R15)
	EMPTY(0)
	EMPTY(1)
	EMPTY(2)

again:
	LOAD(0, Z0, Z1, Z8, Z12)
	LOAD(1, Z2, Z3, Z9, Z13)
	LOAD(2, Z4, Z5, Z10, Z14)
	LOAD(3, Z6, Z7, Z11, Z15)
	MOVQ $11, BX
	LEAQ 5(BX), R13
	TESTQ SI, SI
	JZ   more
	LOADSECOND(0, Z16, Z20)
	LOADSECOND(1, Z17, Z21)
	LOADSECOND(2, Z18, Z22)
	LOADSECOND(3, Z19, Z23)

more:
	CMPQ       R8, R13
	CMOVQLT    R8, R13
	CALL       levels<>(SB)
	CMPQ       BX, R8
	JGE        decided
	TESTQ      SI, SI
	JNZ        both
	VPORQ      Z12, Z13, Z24
	VPTERNLOGQ $0xFE, Z14, Z15, Z24 // a | b | c
	JMP        all

both:
	VPXORQ     Z8, Z12, Z24
	VPTERNLOGQ $0xF6, Z9, Z13, Z24 // a | b ^ c
	VPTERNLOGQ $0xF6, Z10, Z14, Z24
	VPTERNLOGQ $0xF6, Z11, Z15, Z24
	VPTERNLOGQ $0xF6, Z16, Z20, Z24
	VPTERNLOGQ $0xF6, Z17, Z21, Z24
	VPTERNLOGQ $0xF6, Z18, Z22, Z24
	VPTERNLOGQ $0xF6, Z19, Z23, Z24

all:
	LEAQ     3(BX), R13
	VPTESTMQ Z24, Z24, K2
	KORTESTW K2, K2
	JNZ      more

decided:
	STORE(0, 256, Z8)
	STORE(1, 256, Z9)
	STORE(2, 256, Z10)
	STORE(3, 256, Z11)
	TESTQ SI, SI
	JZ    stored
	STORE(0, 264, Z16)
	STORE(1, 264, Z17)
	STORE(2, 264, Z18)
	STORE(3, 264, Z19)

stored:
	ADDQ $(4*LEFTBYTES), AX
	CMPQ AX, DX
	JL   again

done:
	RET

// The arguments of climb, and the multiplier of levels, which it needs as well.
#define CLIMBING(dst, second, levels, ones, ones2) \
	MOVQ dst, DI; \
	MOVQ second, SI; \
	MOVQ levels, R8; \
	MOVQ ones, R11; \
	MOVQ ones2, R12; \
	LEAQ room-ROOM(SP), R14; \
	ADDQ $63, R14; \
	ANDQ $~63, R14

// How many eights of those left, which is in memory, are the next chunk: in CX and BX. AX is where their first states go.
#define NEXTCHUNK(left) \
	MOVQ    left, CX; \
	MOVQ    $CHUNK, BX; \
	CMPQ    CX, BX; \
	CMOVQLT CX, BX; \
	SUBQ    BX, left; \
	MOVQ    BX, CX; \
	MOVQ    R14, AX

// func ladders8(dst, second *uint64, eights, levels int, from *beginning, ones, ones2 uint64)
TEXT ·ladders8(SB), 0, $15424-56
	CLIMBING(dst+0(FP), second+8(FP), levels+24(FP), ones+40(FP), ones2+48(FP))
	MOVQ         from+32(FP), R9
	LEAQ         88(R9), R10
	MOVQ         $8, AX
	VPBROADCASTQ AX, Z31

chunk:
	MULTIPLIERS
	VMOVDQU64 (R9), Z20
	NEXTCHUNK(eights+16(FP))

eight:
	VMOVDQA64 Z20, Z0
	VPADDQ    Z31, Z20, Z20
	PHILOX(Z0, Z1, Z2, Z3, Z4, Z5)
	VMOVDQU64 Z0, (AX)
	VMOVDQU64 Z2, 64(AX)
	ADDQ      $128, AX
	DECQ      BX
	JNZ       eight
	VMOVDQU64 Z20, (R9)
	CALL      climb<>(SB)
	CMPQ      eights+16(FP), $0
	JNE       chunk
	VZEROUPPER
	RET

// func keyed8(dst, second *[32]uint64, levels int, from *[4]streams, ones, ones2 uint64)
TEXT ·keyed8(SB), 0, $15424-48
	CLIMBING(dst+0(FP), second+8(FP), levels+16(FP), ones+32(FP), ones2+40(FP))
	MOVQ from+24(FP), R9
	MULTIPLIERS
	MOVQ $4, CX
	MOVQ R14, BX

eight:
	STREAMS
	VMOVDQU64 Z0, (BX)
	VMOVDQU64 Z2, 64(BX)
	ADDQ      $136, R9
	ADDQ      $128, BX
	DECQ      CX
	JNZ       eight
	MOVQ      $4, CX
	CALL      climb<>(SB)
	VZEROUPPER
	RET

// func eights8(dst, second *uint64, eights, levels int, from *begun, keys *eightKeys, ones, ones2 uint64)
TEXT ·eights8(SB), 0, $15424-64
	CLIMBING(dst+0(FP), second+8(FP), levels+24(FP), ones+48(FP), ones2+56(FP))
	MOVQ from+32(FP), R9
	MOVQ keys+40(FP), R10

chunk:
	MULTIPLIERS
	NEXTCHUNK(eights+16(FP))
	VMOVDQU64 (R10), Z18
	VMOVDQU64 64(R10), Z19
	VMOVDQU64 128(R10), Z20
	VMOVDQU64 192(R10), Z21
	VMOVDQU64 256(R10), Z22
	VMOVDQU64 320(R10), Z23
	VMOVDQU64 384(R10), Z24
	VMOVDQU64 448(R10), Z25
	VMOVDQU64 512(R10), Z26
	VMOVDQU64 576(R10), Z27

eight:
	RESUME
	VMOVDQU64 Z0, (AX)
	VMOVDQU64 Z2, 64(AX)
	ADDQ      $128, R9
	ADDQ      $128, AX
	DECQ      BX
	JNZ       eight
	CALL      climb<>(SB)
	CMPQ      eights+16(FP), $0
	JNE       chunk
	VZEROUPPER
	RET

// func points8(words *Drop, from *streams, spans *spans, strips *strips, more *uint64) (rounds int)
TEXT ·points8(SB), NOSPLIT, $0-48
	MOVQ words+0(FP), DI
	MOVQ from+8(FP), R9
	MOVQ spans+16(FP), R11
	MOVQ strips+24(FP), R12
	MOVQ more+32(FP), R10
	MULTIPLIERS
	STREAMS

	WORDS(Z0, Z2, Z4, Z5, Z6)
	NEXT(Z0, Z2, Z4, Z5)
	MOVQ         $1, AX
	VPBROADCASTQ AX, Z27
	VPXORQ       Z11, Z11, Z11 // how many
	XORQ         CX, CX        // the most

count:
	VPCMPUQ.BCST $1, (R10)(CX*8), Z6, K2 // less
	KORTESTW     K2, K2
	JZ           counted
	VPADDQ       Z27, Z11, K2, Z11
	INCQ         CX
	JMP          count

counted:
	MOVQ         CX, rounds+40(FP)
	TESTQ        CX, CX
	JZ           done
	VPMOVZXDQ    (R11), Z12
	VPMOVZXDQ    32(R11), Z13
	VPMOVZXDQ    64(R11), Z14
	VPBROADCASTQ (R12), Z15
	VPBROADCASTQ 8(R12), Z16
	VPBROADCASTQ 16(R12), Z17
	VPBROADCASTQ 24(R12), Z18
	VPTERNLOGQ   $0xFF, Z19, Z19, Z19
	VPSLLQ       $32, Z19, Z19  // upper halves
	VPXORQ       Z25, Z25, Z25  // how many are made

point:
	WORDS(Z0, Z2, Z4, Z5, Z6)
	NEXT(Z0, Z2, Z4, Z5)
	VPSLLQ     $32, Z6, Z7
	VPSRLQ     $52, Z7, Z7           // the column of the segment
	VPCMPUQ    $1, Z13, Z7, K2
	VPCMPUQ    $1, Z11, Z25, K2, K2  // points that there are
	KNOTW      K2, K2
	VPADDQ     Z12, Z7, Z7
	VPMULUDQ   Z15, Z7, Z8
	VPSRLVQ    Z16, Z8, Z8           // the strip
	VPMULUDQ   Z17, Z7, Z9
	VPMULUDQ   Z18, Z8, Z8
	VPADDQ     Z14, Z9, Z9
	VPSUBQ     Z8, Z9, Z9
	VPTERNLOGQ $0xF8, Z19, Z6, Z9    // or, of the word's upper half
	VPTERNLOGQ $0xFF, Z9, Z9, K2, Z9
	VMOVDQU64  Z9, (DI)
	VPADDQ     Z27, Z25, Z25
	ADDQ       $64, DI
	DECQ       CX
	JNZ        point

done:
	VZEROUPPER
	RET

// func gather8(list, words *Drop, rounds, segments int) (n int)
TEXT ·gather8(SB), NOSPLIT, $0-40
	MOVQ       list+0(FP), DI
	MOVQ       words+8(FP), SI
	MOVQ       rounds+16(FP), CX
	MOVQ       segments+24(FP), AX
	KMOVW      AX, K1
	VPTERNLOGQ $0xFF, Z2, Z2, Z2
	MOVQ       DI, DX
	TESTQ      CX, CX
	JZ         done

round:
	VMOVDQU64  (SI), Z0
	VPCMPUQ    $4, Z2, Z0, K1, K2 // not equal
	VPCOMPRESSQ Z0, K2, Z1
	VMOVDQU64  Z1, (DI)
	KMOVW      K2, AX
	POPCNTQ    AX, AX
	LEAQ       (DI)(AX*8), DI
	ADDQ       $64, SI
	DECQ       CX
	JNZ        round

done:
	SUBQ DX, DI
	SHRQ $3, DI
	MOVQ DI, n+32(FP)
	VZEROUPPER
	RET
