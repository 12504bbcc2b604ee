// Package synth finds small networks of three-input lookup tables (vpternlogq of AVX-512, lop3 of NVIDIA's GPUs) that
// compute a radius-1 rule for all cells of a machine word at once, one cell in each bit.
//
// A network works columns first. It computes some tables over each column (u, m, d): the cells above, at and
// below. A column's value serves three neighbouring cells, as the value of their left, centre or right column,
// but is computed only once. Gates are tables that combine these values:
//
//	u u u        Columns: tables over (u, m, d)        Gates: tables over column values at l, c, r and earlier gates
//	m m m   ──▶  p q …  of l, of c, of r          ──▶  g0, g1, … ; the last is the next state of the middle cell
//	d d d
//	l c r
//
// # Outer-totalistic rules
//
// Each column has the sums p = xor3 and q = maj3. Four gates add them up (see package internal/tail), and a
// rule is then a function of five signals with 18 free values. The gates after these are the rule's tail. The
// 2^18 rules form 65,792 orbits under complement and exchange of live and dead. A generator has enumerated all
// tails of up to three gates, and most of four, for the nine ways to write the two sums. For each orbit,
// tails.bin holds a hint from which a short search rebuilds the gates. If no tail of four gates is known, one
// of five is used: two gates for each half of the rule, and a choice. The page without a server has no hints
// and uses these more often (build tag page).
//
//	lookup tables   ≤6     7      8       9       10      11
//	rules           92   908  5,462  82,514  157,278  15,890
//
// For well-known rules, a SAT solver has also looked for gates that read p and q directly (ztails.go). Conway's Life
// takes 8 tables: two for each column and six gates. Whether 7 are enough is open: cadical neither found five gates
// after (xor3, maj3) nor proved them impossible.
//
// Two neighbouring cells have two columns in common, so gates that both use would save tables: 14 or 15 for two cells
// instead of 16. The solver searched for networks of K gates over the counts of the two columns, and M more gates for
// each cell. Exchanging the two columns must map the K gates to themselves. With any two of (xor3, maj3, 1 or 2 live
// cells) for each column, no network with K+M = 2+4 or 3+4 exists. With all three, which cost one more table for each
// cell, none with 2+3 or 3+3 exists. The solver gave no answer for 1+5, nor for gates without that symmetry (3+4+4).
//
// # Other rules of the 3×3 block
//
// A rule is expanded by the method of M. Kwan for the S-boxes of DES. If one table over three existing signals
// gives the function at all points that matter, it is taken. Otherwise the function is split by a signal, and
// both halves are expanded, each with the other's points as don't-cares. Two choices make the result small: the
// signals that exist at the start, and the order of splits (see basesFor). A rule close to an outer-totalistic
// one starts from the network of that rule. Other isotropic rules start from a code of few bits that almost
// identifies the orbit of the eight neighbours. All other rules start from counts and cells. Several orders are
// tried within a fixed effort. Resubstitution then removes gates that other signals can replace.
package synth
