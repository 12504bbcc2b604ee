// Package pattern reads and writes pattern files: RLE, macrocell, plaintext, Life 1.05 and 1.06, PNG and NumPy
// arrays. It also reads MCell. Files may be gzipped.
//
// Coordinates: x to the right, y down. In formats that give a size (RLE, plaintext, PNG, NumPy, MCell), the
// upper left cell of the file is (0, 0) of Pattern.Cells. In formats that give positions (macrocell, Life 1.05
// and 1.06), cells keep their positions, which are Golly's. Pattern.X and Pattern.Y convert between the two.
//
// Readers hold only the tiles that the live cells need, and never more than Options.MaxBytes. Writers write row by row.
//
// Start with [Read] or [ReadFile], which detect the format from the content, and [WriteFile], which takes it
// from the suffix. Each format is a package under pattern/internal; [Format] lists them. Patterns with a name
// ("gosper-gun") are in pattern/builtin. The package does not interpret rules: it keeps their notation as text.
package pattern
