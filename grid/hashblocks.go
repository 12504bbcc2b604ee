package grid

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"runtime"
	"sync"
	"unsafe"
)

// A parallelSource is a source whose rows several goroutines may be able to read at once.
type parallelSource interface {
	Source
	// ReadsInParallel reports whether they can, if they read whole rows.
	ReadsInParallel() bool
}

// packer turns the rows of a source into the stream of bytes that StateHash hashes, block by block.
type packer struct {
	src      Source
	box      Rect
	rowBytes int
	size     int // of the stream
}

func newPacker(src Source, box Rect, planes int) *packer {
	rowBytes := (box.W + 7) >> 3
	return &packer{src, box, rowBytes, rowBytes * box.H * planes}
}

// sums returns the SHA-256 of each block; known has those that need not be computed, if any. Blocks are hashed at the same time, and packed at the same time too,
// if the source allows that.
func (r *packer) sums(ctx context.Context, known []*Digest) ([]*Digest, error) {
	s, ok := r.src.(parallelSource)
	parallel := ok && r.box.W <= hashRowCells && s.ReadsInParallel()
	var sums []*Digest
	var hashing sync.WaitGroup
	failed := make(chan error, 1)
	spare := make(chan *packed, runtime.GOMAXPROCS(0)+1)
	for range cap(spare) {
		spare <- new(packed)
	}
	for first := 0; first < r.size && len(failed) == 0; first += hashBlock {
		if i := first / hashBlock; i < len(known) && known[i] != nil {
			sums = append(sums, known[i])
			continue
		}
		b, sum := <-spare, new(Digest)
		sums = append(sums, sum)
		pack := func() {
			err := ctx.Err()
			if err == nil {
				err = r.pack(b, first, min(r.size, first+hashBlock))
			}
			if err != nil {
				select {
				case failed <- err:
				default: // another block has failed before
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
		return nil, err
	default:
		return sums, nil
	}
}

// packed is room for a block of packed rows.
type packed struct {
	row   []uint64
	room  []byte
	bytes []byte // the block: the beginning of room
}

// pack stores bytes first to end of the stream.
func (r *packer) pack(p *packed, first, end int) error {
	if p.row == nil {
		p.row, p.room = make([]uint64, wordsFor(min(r.box.W, hashRowCells))), make([]byte, min(r.size, hashBlock))
	}
	p.bytes = p.room[:end-first]
	row, from := first/r.rowBytes, first%r.rowBytes // the next byte is byte from of a row
	plane, y := row/r.box.H, row%r.box.H
	for rest := p.bytes; len(rest) > 0; {
		before := 0 // bytes that are read although they belong to the block before
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
