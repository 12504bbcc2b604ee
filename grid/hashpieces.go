package grid

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"runtime"
	"sort"
	"sync"
	"unsafe"
)

// A parallelSource is a source whose rows several goroutines may be able to read at once.
type parallelSource interface {
	Source
	// ReadsInParallel reports whether they can, if they read whole rows.
	ReadsInParallel() bool
}

// packer turns the rows of a source into the stream of bytes that StateHash hashes, piece by piece.
type packer struct {
	src      Source
	box      Rect
	rowBytes int
	size     int    // of the stream
	live     []Rect // the rows that may have cells, from top to bottom
}

func newPacker(src Source, box Rect, planes int) (*packer, error) {
	live, err := OccupiedBands(src, box)
	rowBytes := (box.W + 7) >> 3
	return &packer{src, box, rowBytes, rowBytes * box.H * planes, live}, err
}

// dead reports whether bytes first to end of the stream belong to rows without cells. The rows may be the last of a
// plane and the first of the next.
func (r *packer) dead(first, end int) bool {
	for row, last := first/r.rowBytes, (end-1)/r.rowBytes; row <= last; {
		y := row % r.box.H
		n := min(last-row+1, r.box.H-y)
		top := r.box.Y + y
		next := sort.Search(len(r.live), func(i int) bool { return r.live[i].Y+r.live[i].H > top })
		if next < len(r.live) && r.live[next].Y < top+n {
			return false
		}
		row += n
	}
	return true
}

// deadPiece returns the SHA-256 of a piece of dead cells.
var deadPiece = sync.OnceValue(func() *Digest {
	sum := Digest(sha256.Sum256(make([]byte, hashPiece)))
	return &sum
})

// hashBatch is the number of pieces after which their sums are taken: those of a universe of a pebibyte would fill the
// memory.
const hashBatch = 1 << 12

// sums calls take for the SHA-256 of each piece, in their order. known has the hashes of the pieces that need not be
// computed. Dead pieces share one sum. Other pieces are hashed at the same time, and packed at the same time too, if
// the source allows that.
func (r *packer) sums(ctx context.Context, known []*Digest, take func(*Digest)) error {
	s, ok := r.src.(parallelSource)
	parallel := ok && r.box.W <= hashRowCells && s.ReadsInParallel()
	spare := make(chan *packed, runtime.GOMAXPROCS(0)+1)
	for range cap(spare) {
		spare <- new(packed)
	}
	list := make([]*Digest, 0, hashBatch)
	for first := 0; first < r.size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var hashing sync.WaitGroup
		failed := make(chan error, 1)
		for list = list[:0]; len(list) < hashBatch && first < r.size && len(failed) == 0; first += hashPiece {
			begin, end := first, min(r.size, first+hashPiece)
			if i := first / hashPiece; i < len(known) && known[i] != nil {
				list = append(list, known[i])
				continue
			}
			if end-begin == hashPiece && r.dead(begin, end) {
				list = append(list, deadPiece())
				continue
			}
			b, sum := <-spare, new(Digest)
			list = append(list, sum)
			pack := func() {
				err := ctx.Err()
				if err == nil {
					err = r.pack(b, begin, end)
				}
				if err != nil {
					select {
					case failed <- err:
					default: // another piece has failed before
					}
				}
			}
			if !parallel {
				pack()
			}
			hashing.Go(func() {
				if parallel {
					pack()
				}
				*sum = sha256.Sum256(b.bytes)
				spare <- b
			})
		}
		hashing.Wait()
		select {
		case err := <-failed:
			return err
		default:
		}
		for _, sum := range list {
			take(sum)
		}
	}
	return nil
}

// packed is room for a piece of packed rows.
type packed struct {
	row   []uint64
	room  []byte
	bytes []byte // the piece: the beginning of room
}

// pack stores bytes first to end of the stream.
func (r *packer) pack(p *packed, first, end int) error {
	if p.row == nil {
		p.row, p.room = make([]uint64, wordsFor(min(r.box.W, hashRowCells))), make([]byte, min(r.size, hashPiece))
	}
	p.bytes = p.room[:end-first]
	row, from := first/r.rowBytes, first%r.rowBytes // the next byte is byte from of a row
	plane, y := row/r.box.H, row%r.box.H
	for rest := p.bytes; len(rest) > 0; {
		before := 0 // bytes that are read although they belong to the piece before
		if r.box.W <= hashRowCells {
			before = from
		}
		x := (from - before) << 3
		n := min(r.box.W-x, hashRowCells)
		if err := readPlane(p.row, r.src, plane, r.box.X+x, r.box.Y+y, n); err != nil {
			return err
		}
		packed := copy(rest, bytesOf(p.row)[before:(n+7)>>3])
		rest = rest[packed:]
		if from += packed; from == r.rowBytes {
			from, y = 0, y+1
			if y == r.box.H {
				plane, y = plane+1, 0
			}
		}
	}
	return nil
}

// bytesOf returns the bytes of words, the lowest first, in the same memory. After it the words may be changed.
func bytesOf(words []uint64) []byte {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		for i, word := range words {
			words[i] = bits.ReverseBytes64(word)
		}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*wordBytes)
}
