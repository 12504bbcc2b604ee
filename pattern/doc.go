// Package pattern reads and writes pattern files: RLE, macrocell, plaintext, Life 1.05 and 1.06, PNG and NumPy arrays, and reads MCell. Files may
// be gzipped.
//
// Coordinates: x to the right, y down. In formats that give a size (RLE, plaintext, PNG, NumPy, MCell) the upper left cell of the file is (0, 0)
// of Pattern.Cells; in formats that give places (macrocell, Life 1.05 and 1.06) cells keep theirs, which are Golly's. Pattern.X and Pattern.Y
// carry the one into the other.
//
// Readers stream: they hold the tiles that the live cells need, and never more than Options.MaxBytes. Writers stream rows.
//
// Start with [Read] or [ReadFile], which tell a format by its content, and [WriteFile], which takes it from the suffix. Each format is a package
// under pattern/internal; [Format] lists them. Patterns with a name ("gosper-gun") are in pattern/builtin. The package does not know what a rule
// means: it keeps the notation as text.
package pattern
