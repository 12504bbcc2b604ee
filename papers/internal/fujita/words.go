package fujita

// The paper's bitwise sums: every bit position of a word has its own sum. [AB]1 and [AB]0 are written ab1 and ab0.

// halfAdd adds two words. 2 operations.
func halfAdd(a, b uint64) (s1, s0 uint64) { return a & b, a ^ b }

// add2 adds two sums of two words. Neither sum may be 3. 5 operations.
func add2(a1, a0, b1, b0 uint64) (s2, s1, s0 uint64) { return a1 & b1, a1 ^ b1 ^ (a0 & b0), a0 ^ b0 }

// add3 adds two sums of four words; s23 says that the sum is 4 or more. 9 operations.
func add3(a2, a1, a0, b2, b1, b0 uint64) (s23, s1, s0 uint64) {
	x := a0 & b0
	y := a1 ^ b1
	return a2 | b2 | (a1 & b1) | (x & y), x ^ y, a0 ^ b0
}

// next is the next state of cells i whose neighbours sum to (s23, s1, s0): i2 and i3 say that they are 2 and 3.
// 7 operations.
func next(i, s23, s1, s0 uint64) uint64 {
	z := ^s23 & s1
	i2 := ^s0 & z
	i3 := s0 & z
	return (i & i2) | i3
}

// singleWord is Algorithm SINGLE-WORD: the next state of i, whose eight neighbours are a to h. 34 operations (Lemma 1).
func singleWord(a, b, c, d, e, f, g, h, i uint64) uint64 {
	ab1, ab0 := halfAdd(a, b)
	cd1, cd0 := halfAdd(c, d)
	ef1, ef0 := halfAdd(e, f)
	gh1, gh0 := halfAdd(g, h)
	ad2, ad1, ad0 := add2(ab1, ab0, cd1, cd0)
	eh2, eh1, eh0 := add2(ef1, ef0, gh1, gh0)
	ah23, ah1, ah0 := add3(ad2, ad1, ad0, eh2, eh1, eh0)
	return next(i, ah23, ah1, ah0)
}

// doubleWord is Algorithm DOUBLE-WORD: the next states of k and of l below it. a, b and c are above k, d and e
// left and right of it, i and j left and right of l, and f, g and h below l. The sum of d, e, i and j serves
// both. 59 operations (Lemma 2).
func doubleWord(a, b, c, d, e, f, g, h, i, j, k, l uint64) (nextK, nextL uint64) {
	de1, de0 := halfAdd(d, e)
	ij1, ij0 := halfAdd(i, j)
	ab1, ab0 := halfAdd(a, b)
	cl1, cl0 := halfAdd(c, l)
	fg1, fg0 := halfAdd(f, g)
	hk1, hk0 := halfAdd(h, k)
	deij2, deij1, deij0 := add2(de1, de0, ij1, ij0)
	abcl2, abcl1, abcl0 := add2(ab1, ab0, cl1, cl0)
	fghk2, fghk1, fghk0 := add2(fg1, fg0, hk1, hk0)
	k23, k1, k0 := add3(abcl2, abcl1, abcl0, deij2, deij1, deij0)
	l23, l1, l0 := add3(fghk2, fghk1, fghk0, deij2, deij1, deij0)
	return next(k, k23, k1, k0), next(l, l23, l1, l0)
}
