// Package rule says what a cellular automaton's rule means: its states, its neighbourhood and its transition. [Parse] reads every notation of the
// field (B3/S23, B2-a/S12, 345/2/4, MAP…, R5,C0,M1,S34..58,B34..45,NM) and the names of package rule/catalogue; [Rule.String] writes the
// canonical notation back.
//
// The package knows nothing of bits or machines. internal/compile turns a rule into a circuit, sim/reference runs one cell by cell, and
// [Rule.Next] and [Rule.NextInBlock] are the definition that both are checked against. What lies beyond a universe's edges is package topology's.
//
// Start with [Parse] and the fields of [Rule].
package rule
