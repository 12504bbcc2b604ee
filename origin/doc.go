// Package origin says what a universe starts from: a soup, a pattern file, a built-in pattern, an object given
// by its apgcode, or a checkpoint, together with its rule and its edges.
//
// Package gosper and the command line share it, so that a name means the same in both. [Flags] are the flags of
// the command line as a struct. [Flags.Origin] combines them and reads the files that they name. [Origin.Open]
// and Origin.Load make the universe.
//
// It does not run anything. Programs that only want a universe should start with package gosper.
package origin
