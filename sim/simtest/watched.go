//go:build race

package simtest

// watched reports whether the race detector watches the suite.
const watched = true
