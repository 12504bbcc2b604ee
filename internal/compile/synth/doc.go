// Package synth finds small networks of three-input lookup tables (vpternlogq of AVX-512, lop3 of NVIDIA's GPUs) that compute a
// radius-1 rule for as many cells at once as a machine word has bits.
//
// A network works columns first. Some tables over a column (u, m, d), the cells above, at and below, are computed once. Each of them serves
// three neighbouring cells, as their left, centre and right value, but is paid for once. Gates then combine them:
//
//	u u u        Columns: tables over (u, m, d)        Gates: tables over column values at l, c, r and earlier gates
//	m m m   ──▶  p q …  of l, of c, of r          ──▶  g0, g1, … ; the last is the next state of the middle cell
//	d d d
//	l c r
//
// # Outer-totalistic rules
//
// With p = xor3 and q = maj3 of the columns, four more tables add them up (package internal/tail says how) and a rule is a function
// of five signals with 18 free values. All tails of up to three gates after that, and most of four, were enumerated over the nine
// ways to write the two sums; tails.bin holds a hint for each of the 65,792 orbits of the 2^18 rules under complement and exchange
// of live and dead, from which a short search rebuilds the gates. Where no four gates are known, five do: two for each half of the
// rule, and a choice.
//
//	lookup tables   ≤6     7      8       9       10      11
//	rules           92   908  5,462  82,514  157,278  15,890
//
// Well-known rules were also given to a SAT solver, which looks for gates that read p and q directly (ztails.go). Conway's Life
// takes 8: two a column and six gates. Whether 7 exist is open; cadical neither found nor refuted five gates after (xor3, maj3).
//
// # Other rules of the 3×3 block
//
// A rule is expanded as M. Kwan did with the boxes of DES: if one table over three signals that exist already gives the function
// wherever it matters, take it. Else split by a signal and expand both halves, each with the other's points as don't-cares. Two
// things make the result small: what signals exist beforehand, and in what order the function is split (see basesFor). A rule close to an
// outer-totalistic one starts from that rule's network; other isotropic rules start from a code that nearly names the orbit of the
// eight neighbours in few bits; any other starts from counts and cells. Several orders are tried within a fixed effort, then
// resubstitution removes gates whose work others can do where it matters.
package synth
