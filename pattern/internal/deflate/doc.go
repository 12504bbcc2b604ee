// Package deflate compresses large streams on all cores: in pieces that refer to nothing outside them, whose
// blocks are put one after another (RFC 1951).
//
// Rows of cells are rarely worth a search for repeated strings. Soups and ash become no smaller by it than by short
// codes for frequent bytes and for runs of one byte, which take a tenth of the time or less, so each piece is tried:
// only where repeats pay, package compress/flate looks for them.
//
// Start with Append, or with NewGzip for a whole stream.
package deflate
