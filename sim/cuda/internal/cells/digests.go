package cells

import (
	"math"
	"math/big"

	"github.com/gosper-life/gosper/internal/ptx"
)

// MessageBytes is the size of a block of SHA-256.
const MessageBytes = 64

// writeDigests adds the kernel that hashes packed rows (see grid.StateHash) by SHA-256 (FIPS 180-4):
//
//	base, stride, perRow, first, end, each, sums
//
// base is the place where row 0 begins, of a plane or of what Join has made, perRow the messages of a row,
// which are whole. Thread t hashes as many messages as each says from first + t·each on, at most to end-1, all
// counted from row 0, and stores its digest as eight words at sums + 32·t.
func writeDigests(m *ptx.Module, name Tool, words int) {
	k := m.Kernel(string(name), ptx.Lanes, 0)
	base, stride, perRow := k.Param64(), k.Param32(), k.Param32()
	first, end, each, sums := k.Param32(), k.Param32(), k.Param32(), k.Param64()
	thread := k.Add(k.ShlN(k.Special("ctaid.x"), log2(ptx.Lanes)), k.Special("tid.x"))
	begin := k.MulAdd(thread, each, first)
	k.ReturnIf(k.Compare("ge", begin, end))
	messages := k.Min(k.Sub(end, begin), each)

	row := k.DivU(begin, perRow)
	column, at := k.NewB32(), k.NewB64()
	k.Move(column, k.Sub(begin, k.Mul(row, perRow)))
	k.Move64(at, k.MulWideN(column, MessageBytes, k.MulWide(row, stride, base)))
	toNextRow := k.Sub(stride, k.MulN(perRow, MessageBytes))

	s := sha{k: k, constants: fractions(64, 3)}
	for _, v := range fractions(8, 2) {
		r := k.NewB32()
		k.Assign(r, int(v))
		s.state = append(s.state, r)
	}
	ahead := make([]ptx.B32, MessageBytes/4) // the next message, loaded while one is hashed
	for i := range ahead {
		ahead[i] = k.NewB32()
	}
	load := func() {
		for i := 0; i < len(ahead); i += 4 {
			for j, r := range k.Load(at, 4*i, 4) {
				k.Move(ahead[i+j], r)
			}
		}
	}
	load()
	left, next := k.NewB32(), k.NewLabel()
	k.Move(left, messages)
	k.Place(next)
	message := plainMessage(k, ahead, words)
	k.Increase(left, -1)
	more := k.CompareN("gt", left, 0)
	k.Increase(column, 1)
	full := k.Compare("eq", column, perRow)
	k.Move(column, k.Select(full, k.Const(0), column))
	// After the last message the same one is loaded again, so that nothing beyond the rows is read.
	step := k.AddN(k.Select(full, toNextRow, k.Const(0)), MessageBytes)
	k.Move64(at, k.Add64(at, k.Wide(k.Select(more, step, k.Const(0)))))
	load()
	s.add(message)
	k.DivergeIf(more, next)

	padding := make([]ptx.B32, MessageBytes/4)
	for i := range padding {
		padding[i] = k.Const(0)
	}
	const one = math.MinInt32 // a bit after the last
	padding[0], padding[15] = k.Const(one), k.MulN(messages, 8*MessageBytes)
	s.add(padding)
	to := k.MulWideN(thread, 32, sums)
	k.Store(to, 0, s.state[:4]...)
	k.Store(to, 16, s.state[4:]...)
}

// plainMessage puts the columns of a message in order, and makes them the big-endian numbers of SHA-256.
func plainMessage(k *ptx.Kernel, in []ptx.B32, words int) []ptx.B32 {
	var out []ptx.B32
	for ; len(in) > 0; in = in[words:] {
		for _, v := range unpacked(k, in[:words]) {
			out = append(out, k.ReverseBytes(v))
		}
	}
	return out
}

// sha is the state of a hash.
type sha struct {
	k         *ptx.Kernel
	state     []ptx.B32
	constants []uint32
}

// add hashes 16 words.
func (s *sha) add(w []ptx.B32) {
	k := s.k
	const xor, choose, majority = 0x96, 0xCA, 0xE8
	xor3 := func(a, b, c ptx.B32) ptx.B32 { return k.Lop3(xor, a, b, c) }
	turn := func(a ptx.B32, n int) ptx.B32 { return k.FunnelR(a, a, n) }
	v := append([]ptx.B32(nil), s.state...)
	for i, constant := range s.constants {
		if i >= 16 {
			x, y := w[i-15], w[i-2]
			x = xor3(turn(x, 7), turn(x, 18), k.ShrN(x, 3))
			y = xor3(turn(y, 17), turn(y, 19), k.ShrN(y, 10))
			w = append(w, k.Add(k.Add(x, y), k.Add(w[i-16], w[i-7])))
		}
		a, e := v[0], v[4]
		one := k.Add(k.Add(k.AddN(w[i], int(int32(constant))), v[7]),
			k.Add(xor3(turn(e, 6), turn(e, 11), turn(e, 25)), k.Lop3(choose, e, v[5], v[6])))
		two := k.Add(xor3(turn(a, 2), turn(a, 13), turn(a, 22)), k.Lop3(majority, a, v[1], v[2]))
		v = []ptx.B32{k.Add(one, two), a, v[1], v[2], k.Add(v[3], one), e, v[5], v[6]}
	}
	for i, r := range s.state {
		k.Move(r, k.Add(r, v[i]))
	}
}

// fractions are the first 32 bits of the fractions of the roots of the first n primes, as FIPS 180-4 takes them
// for the constants of SHA-256: square roots (2) and cube roots (3).
func fractions(n, root int) []uint32 {
	var found []uint32
	for p := int64(2); len(found) < n; p++ {
		if !big.NewInt(p).ProbablyPrime(0) {
			continue
		}
		// The largest r with r^root ≤ p·2^(32·root) is the root of p in units of 2^-32.
		limit := new(big.Int).Lsh(big.NewInt(p), uint(32*root))
		r := new(big.Int)
		for bit := 36; bit >= 0; bit-- {
			r.SetBit(r, bit, 1)
			if new(big.Int).Exp(r, big.NewInt(int64(root)), nil).Cmp(limit) > 0 {
				r.SetBit(r, bit, 0)
			}
		}
		found = append(found, uint32(r.Uint64()))
	}
	return found
}
