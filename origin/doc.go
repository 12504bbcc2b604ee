// Package origin says what a universe starts from: a soup, a pattern file, a built-in pattern, an object by its apgcode, or a checkpoint, with
// the rule and the edges that go with it.
//
// Package gosper and the command line share it, so that both mean the same by a name. [Flags] are the flags of the command line as a struct;
// [Flags.Origin] settles what they ask for together and reads what they name, and [Origin.Open] and Origin.Load make the universe.
//
// It does not run anything. Programs that only want a universe begin with package gosper.
package origin
