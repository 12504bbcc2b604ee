package grid

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

// Digest is a SHA-256 hash.
type Digest = [sha256.Size]byte

const (
	// SquareLevel is the level of the smallest squares that have a digest: 2^4 cells on each side.
	SquareLevel = 4

	squareSide = 1 << SquareLevel
	rootLevel  = SquareLevel + 1 // the lowest whose corners are corners of such squares
)

// Squares computes the digests of squares of 2^level × 2^level cells, as StateHash defines them. It is safe for
// concurrent use.
type Squares struct {
	planes int
	dead   []Digest // by level, from SquareLevel on
}

// newSquares returns Squares for cells with the given number of planes.
func newSquares(planes int) *Squares {
	s := &Squares{planes: planes}
	s.dead = append(s.dead, s.Smallest(make([]byte, planes*2*squareSide)))
	for len(s.dead) <= bits.UintSize-SquareLevel {
		d := s.dead[len(s.dead)-1]
		s.dead = append(s.dead, s.Join([4]Digest{d, d, d, d}))
	}
	return s
}

// Smallest returns the digest of a square of SquareLevel from its rows: plane after plane, 16 rows of two bytes.
func (s *Squares) Smallest(rows []byte) Digest { return sha256.Sum256(rows) }

// Join returns the digest of a larger square from the digests of its quarters nw, ne, sw and se.
func (s *Squares) Join(quarters [4]Digest) Digest {
	var message [4 * sha256.Size]byte
	for i, q := range quarters {
		copy(message[i*sha256.Size:], q[:])
	}
	return sha256.Sum256(message[:])
}

// Dead returns the digest of an empty square of a level, SquareLevel or more.
func (s *Squares) Dead(level int) Digest { return s.dead[level-SquareLevel] }

// SquareTree is a source that consists of squares. StateHash lets it compute their digests. It computes the digest of
// each different square once.
type SquareTree interface {
	Source
	// SquareDigest returns the digest of the square of a level that is centred on the upper left corner of cell
	// (0, 0) and contains all cells.
	SquareDigest(ctx context.Context, s *Squares, level int) (Digest, error)
}

// unboundedHash is StateHash for the unbounded plane.
func unboundedHash(ctx context.Context, src Source, states int) (Digest, error) {
	box, err := src.Extent()
	if err != nil {
		return Digest{}, err
	}
	s, level := newSquares(PlanesOf(states)), levelOf(box)
	var root Digest
	switch tree, isTree := src.(SquareTree); {
	case isTree:
		root, err = tree.SquareDigest(ctx, s, level)
	case level <= tileShift:
		half := TileSide / 2 // of a tile of its own
		t := newTileRow(s.planes, 1)
		err = t.read(src, -half, -half, TileSide)
		root = t.digest(s, level, half-1<<(level-1), half-1<<(level-1))
	default:
		root, err = joinedDigest(ctx, s, src, level)
	}
	if err != nil {
		return Digest{}, err
	}
	message := binary.LittleEndian.AppendUint64(nil, unboundedVersion)
	message = binary.LittleEndian.AppendUint64(message, uint64(states))
	message = binary.LittleEndian.AppendUint64(message, uint64(level))
	return sha256.Sum256(append(message, root[:]...)), nil
}

// vastHash is StateHash for a bounded universe of more rows than are hashed one by one.
func vastHash(ctx context.Context, src Source, states int, box Rect) (Digest, error) {
	root, err := joinedDigest(ctx, newSquares(PlanesOf(states)), src, levelOf(box))
	if err != nil {
		return Digest{}, err
	}
	var message []byte
	for _, n := range []int{vastVersion, states, box.W, box.H} {
		message = binary.LittleEndian.AppendUint64(message, uint64(n))
	}
	return sha256.Sum256(append(message, root[:]...)), nil
}

// levelOf is the level of the smallest square, at least rootLevel, that is centred on the corner of cell (0, 0)
// and contains a box.
func levelOf(box Rect) int {
	level := rootLevel
	if !box.Empty() {
		for _, c := range []int{box.X, box.Y, end(box.X, box.W) - 1, end(box.Y, box.H) - 1} {
			level = max(level, bits.Len(uint(c^c>>(bits.UintSize-1)))+1)
		}
	}
	return level
}

// placed is the digest of a square and its position, columns x·2^level and rows y·2^level.
type placed struct {
	x, y   int
	digest Digest
}

// joinedDigest is the digest of a root above the level of tiles. It first computes the digest of each tile with cells.
func joinedDigest(ctx context.Context, s *Squares, src Source, level int) (Digest, error) {
	list, err := tileDigests(ctx, s, src)
	if err != nil {
		return Digest{}, err
	}
	for i := range list { // seen from the corner of the root
		list[i].x += 1 << (level - 1 - tileShift)
		list[i].y += 1 << (level - 1 - tileShift)
	}
	slices.SortFunc(list, inZOrder)
	list = slices.CompactFunc(list, func(a, b placed) bool { return a.x == b.x && a.y == b.y })
	for at := tileShift; at < level; at++ {
		list = s.joinAll(list, at)
	}
	if len(list) == 0 {
		return s.Dead(level), nil
	}
	return list[0].digest, nil
}

// joinAll joins squares of a level, in Z-order, to those of the next level.
func (s *Squares) joinAll(list []placed, level int) []placed {
	joined := list[:0]
	for len(list) > 0 {
		x, y := list[0].x>>1, list[0].y>>1
		dead := s.Dead(level)
		quarters := [4]Digest{dead, dead, dead, dead}
		for ; len(list) > 0 && list[0].x>>1 == x && list[0].y>>1 == y; list = list[1:] {
			quarters[list[0].y&1<<1|list[0].x&1] = list[0].digest
		}
		joined = append(joined, placed{x, y, s.Join(quarters)})
	}
	return joined
}

// inZOrder compares positions so that the squares of a larger square follow each other, on every level. The highest bit
// in which the positions differ decides, first that of y:
//
//	0 1 4 5
//	2 3 6 7
//	8 …
func inZOrder(a, b placed) int {
	dx, dy := uint(a.x^b.x), uint(a.y^b.y)
	if bits.Len(dy) >= bits.Len(dx) {
		return cmp.Compare(a.y, b.y)
	}
	return cmp.Compare(a.x, b.x)
}

// mostInRow is the most tiles side by side that are read at once, because devices return long rows faster than
// short ones.
const mostInRow = 64

// tileDigests returns the digests of the tiles with cells, in no order; a tile may occur twice.
func tileDigests(ctx context.Context, s *Squares, src Source) ([]placed, error) {
	var (
		list    []placed
		adding  sync.Mutex
		hashing sync.WaitGroup
		spare   = make(chan *tileRow, runtime.GOMAXPROCS(0)+1)
	)
	// spare bounds the memory: a reader waits for a row of tiles that has been hashed.
	for range cap(spare) {
		spare <- nil // allocated when first used
	}
	defer hashing.Wait()
	hash := func(b *tileRow, x, y, tiles int) {
		for i := range tiles {
			if !b.dead(i) {
				p := placed{x>>tileShift + i, y >> tileShift, b.digest(s, tileShift, i<<tileShift, 0)}
				adding.Lock()
				list = append(list, p)
				adding.Unlock()
			}
		}
		spare <- b
	}
	parts, err := Occupied(src)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		if Product(uint64(part.W), uint64(part.H)) > hashLargest {
			return nil, fmt.Errorf("state hash of %d×%d cells: at most 2^50 can be read: %w", part.W, part.H, ErrTooLarge)
		}
		for y := part.Y &^ (TileSide - 1); y < end(part.Y, part.H); y += TileSide {
			for x := part.X &^ (TileSide - 1); x < end(part.X, part.W); x += mostInRow * TileSide {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				tiles := min(mostInRow, (end(part.X, part.W)-x+TileSide-1)>>tileShift)
				b := <-spare
				if b == nil || b.tiles < tiles {
					b = newTileRow(s.planes, tiles)
				}
				if err := b.read(src, x, y, tiles<<tileShift); err != nil {
					return nil, err
				}
				hashing.Go(func() { hash(b, x, y, tiles) })
			}
		}
	}
	hashing.Wait()
	return list, nil
}

// tileRow holds the cells of some tiles side by side: 256 rows of each plane.
type tileRow struct {
	planes, tiles int
	words         []uint64
}

func newTileRow(planes, tiles int) *tileRow {
	return &tileRow{planes, tiles, make([]uint64, planes*TileSide*tiles*tileWords)}
}

// row returns row y of a plane.
func (r *tileRow) row(plane, y int) []uint64 {
	wide := r.tiles * tileWords
	return r.words[(plane*TileSide+y)*wide:][:wide]
}

// read reads n columns from (x, y) on.
func (r *tileRow) read(src Source, x, y, n int) error {
	for k := range r.planes {
		for i := range TileSide {
			if err := readPlane(r.row(k, i), src, k, x, y+i, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// dead reports whether a tile has no cells.
func (r *tileRow) dead(tile int) bool {
	var live uint64
	for k := range r.planes {
		for y := range TileSide {
			for _, word := range r.row(k, y)[tile*tileWords:][:tileWords] {
				live |= word
			}
		}
	}
	return live == 0
}

// digest returns the digest of a square whose upper left cell is in column x and row y, multiples of 16.
func (r *tileRow) digest(s *Squares, level, x, y int) Digest {
	if level > SquareLevel {
		half := 1 << (level - 1)
		var quarters [4]Digest
		for i := range quarters {
			quarters[i] = r.digest(s, level-1, x+i&1*half, y+i>>1*half)
		}
		return s.Join(quarters)
	}
	var rows [MaxPlanes * 2 * squareSide]byte
	var live uint16
	for k := range r.planes {
		for i := range squareSide {
			cells := uint16(r.row(k, y+i)[x>>6] >> (x & 63))
			binary.LittleEndian.PutUint16(rows[2*(k*squareSide+i):], cells)
			live |= cells
		}
	}
	if live == 0 {
		return s.Dead(SquareLevel)
	}
	return s.Smallest(rows[:r.planes*2*squareSide])
}
