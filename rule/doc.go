// Package rule defines the meaning of a cellular automaton's rule: its states, its neighbourhood and its transition.
// [Parse] reads every common notation (B3/S23, B2-a/S12, 345/2/4, MAP…, R5,C0,M1,S34..58,B34..45,NM) and the names of
// package rule/catalogue. [Rule.String] writes the canonical notation.
//
// The package does not know bits or machines. internal/compile turns a rule into a circuit, and sim/reference
// runs one cell by cell. [Rule.Next] and [Rule.NextInBlock] are the definition that both are checked against.
// Package topology says what lies beyond a universe's edges.
//
// Start with [Parse] and the fields of [Rule].
package rule
