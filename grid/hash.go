package grid

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// hashVersion is the version of the format that StateHash hashes for bounded universes. It is the first number
// in the header.
const hashVersion = 1

// unboundedVersion is the same for the unbounded plane. Version 1 hashed the packed rows of the bounding box.
const unboundedVersion = 2

// vastVersion is the same for bounded universes whose packed rows are too many to be hashed one by one.
const vastVersion = 3

// ErrTooLarge is the error of a hash that would take hours, of cells that cannot be hashed as equal squares.
var ErrTooLarge = errors.New("too large for such a hash")

const (
	hashPiece    = 1 << 20 // bytes
	hashLargest  = 1 << 50 // bytes: a petabyte takes days; only cells that are far apart on the unbounded plane need more
	hashPacked   = 1 << 47 // bytes of packed rows: dead ones take a few seconds, too
	hashRowWords = 1 << 14 // words read at once
	hashRowCells = hashRowWords << 6
)

// StateHash identifies the cells of a universe. It does not depend on the engine, the layout or the topology
// that holds them.
//
// For a bounded universe it is the SHA-256 of a header, followed by the SHA-256 of each consecutive piece of 1
// MiB of the packed rows. The last piece may be shorter. The header is four 64-bit little-endian integers:
// hashVersion, states, W, H. The packed rows are one stream of bytes: plane 0's rows from top to bottom, then
// plane 1's, up to ⌈log2 states⌉ planes. A row is ⌈W/8⌉ bytes. The cell of column c is bit c&7 of byte c>>3
// (bit 0 is the least significant), and spare bits are zero.
//
// For an infinite universe it is the SHA-256 of three 64-bit little-endian integers, 2 (the version), states
// and L, followed by the digest of the root. The root is the smallest square of 2^L × 2^L cells, L at least 5,
// that has its centre at the upper left corner of cell (0, 0) and contains all cells not in state 0. The digest
// of a square is the SHA-256 of the four digests of its quarters nw, ne, sw and se. The digest of a square of
// 16×16 cells is the SHA-256 of its packed rows, two bytes each, plane after plane. Equal squares have equal
// digests, so hashing a quadtree takes time in proportion to its different squares (Merkle 1987).
//
// A bounded universe whose packed rows are more than 128 TiB is hashed in squares as well. The root is the
// smallest such square that contains all of the universe, and cells beyond the edges are in state 0. The hash
// is the SHA-256 of the integers 3 (the version), states, W and H, followed by the digest of the root.
//
// Pieces of rows that have no cells are not read, if the source has an Occupied method.
//
// It fails if the cells cannot be read, if ctx is done, or with ErrTooLarge.
func StateHash(ctx context.Context, src Source, states int, unbounded bool) (Digest, error) {
	if unbounded {
		return unboundedHash(ctx, src, states)
	}
	box, err := src.Extent()
	if err != nil {
		return Digest{}, err
	}
	planes := PlanesOf(states)
	if Product((uint64(box.W)+7)>>3, uint64(box.H), uint64(planes)) > hashPacked {
		return vastHash(ctx, src, states, box)
	}
	message := sha256.New()
	for _, n := range []int{hashVersion, states, box.W, box.H} {
		message.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
	}
	var known []*Digest
	if s, ok := src.(pieceSource); ok {
		if known, err = s.PieceSums(ctx, planes, hashPiece); err != nil {
			return Digest{}, err
		}
	}
	p, err := newPacker(src, box, planes)
	if err != nil {
		return Digest{}, err
	}
	if err := p.sums(ctx, known, func(sum *Digest) { message.Write(sum[:]) }); err != nil {
		return Digest{}, err
	}
	return Digest(message.Sum(nil)), nil
}

// A pieceSource is a source that can hash its packed rows where they are, if that is faster than to read them.
type pieceSource interface {
	Source
	// PieceSums returns the SHA-256 of each consecutive piece of the packed rows of the first planes, with the given
	// number of bytes in a piece. A sum is nil if the caller must read the piece. The list is nil if the caller must
	// read all pieces.
	PieceSums(ctx context.Context, planes, bytes int) ([]*Digest, error)
}

// BytesHash is the SHA-256 of the states of the cells, one byte each, row after row. Other programs can easily
// compute it. If the universe is unbounded, it takes the bounding box. It fails if the cells cannot be read, if ctx
// is done, or if the box has more than 2^50 cells.
func BytesHash(ctx context.Context, src Source) (Digest, error) {
	box, err := src.Extent()
	if err != nil {
		return Digest{}, err
	}
	if Product(uint64(box.W), uint64(box.H)) > hashLargest {
		return Digest{}, fmt.Errorf("hash of %d×%d cells: at most 2^50 can be hashed: %w", box.W, box.H, ErrTooLarge)
	}
	hash := sha256.New()
	row := make([]uint64, wordsFor(min(box.W, hashRowCells)))
	states := make([]byte, len(row)<<6)
	for y := range box.H {
		for x := 0; x < box.W; x += hashRowCells {
			if err := ctx.Err(); err != nil {
				return Digest{}, err
			}
			n := min(box.W-x, hashRowCells)
			clear(states)
			for k := range src.Planes() {
				if err := src.ReadRow(row, k, box.X+x, box.Y+y, n); err != nil {
					return Digest{}, err
				}
				addPlane(states, row[:wordsFor(n)], k)
			}
			hash.Write(states[:n])
		}
	}
	return Digest(hash.Sum(nil)), nil
}

// addPlane sets bit k of the states of the cells that are set in row. It visits only set cells, because most
// universes are sparse.
func addPlane(states []byte, row []uint64, k int) {
	for i, word := range row {
		for ; word != 0; word &= word - 1 {
			states[i<<6+bits.TrailingZeros64(word)] |= 1 << k
		}
	}
}
