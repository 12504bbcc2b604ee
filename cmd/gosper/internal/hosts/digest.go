package hosts

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/gosper-life/gosper/grid"
)

// The hash of a universe is made of the hashes of consecutive blocks of its packed rows (grid.StateHash). A band hashes
// the blocks that it holds whole. It sends the bytes of blocks that it shares with another band. In a message these
// are pieces:
//
//	8 bytes   the number of the block
//	4 bytes   the place of the bytes in the block
//	4 bytes   their number; 0 for the hash of a whole block
//	…         the bytes, or the 32 bytes of the hash
const pieceHead = 8 + 4 + 4

// pieces appends the pieces of a band for blocks of some bytes.
func (b *band) pieces(ctx context.Context, blockBytes int) ([]byte, error) {
	src, w := b.cells(), b.topology.W
	packedRow, height := (w+7)/8, b.lines*b.rows
	words := make([]uint64, (w+63)/64)
	bytes := make([]byte, 0, rowBytes(w))
	var pieces []byte
	hashing := newHashes()
	for k := range b.planes {
		at := (k*height + b.First*b.rows) * packedRow // in the stream of packed rows
		var block []byte
		flush := func() {
			pieces = hashing.piece(pieces, block, at-len(block), blockBytes, at == b.planes*height*packedRow)
			block = nil
		}
		for y := range b.Lines * b.rows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := src.ReadRow(words, k, 0, y, w); err != nil {
				return nil, err
			}
			bytes = appendWords(bytes[:0], words)
			for rest := bytes[:packedRow]; len(rest) > 0; {
				n := min(len(rest), blockBytes-at%blockBytes)
				block, rest = append(block, rest[:n]...), rest[n:]
				if at += n; at%blockBytes == 0 {
					flush()
				}
			}
		}
		if len(block) > 0 {
			flush()
		}
	}
	return hashing.finish(pieces), nil
}

// hashes computes the hashes of blocks on all cores.
type hashes struct {
	room   chan struct{}
	work   sync.WaitGroup
	places []int // where in the pieces the hashes belong
	sums   []*grid.Digest
}

func newHashes() *hashes { return &hashes{room: make(chan struct{}, runtime.GOMAXPROCS(0))} }

// piece appends the piece of bytes that begin at a place of the stream. last says that the stream ends with them.
func (h *hashes) piece(pieces, block []byte, start, blockBytes int, last bool) []byte {
	pieces = binary.LittleEndian.AppendUint64(pieces, uint64(start/blockBytes))
	offset := start % blockBytes
	pieces = binary.LittleEndian.AppendUint32(pieces, uint32(offset))
	if offset > 0 || len(block) < blockBytes && !last {
		pieces = binary.LittleEndian.AppendUint32(pieces, uint32(len(block)))
		return append(pieces, block...)
	}
	pieces = binary.LittleEndian.AppendUint32(pieces, 0)
	sum := new(grid.Digest)
	h.places, h.sums = append(h.places, len(pieces)), append(h.sums, sum)
	h.room <- struct{}{}
	h.work.Go(func() {
		*sum = sha256.Sum256(block)
		<-h.room
	})
	return append(pieces, make([]byte, len(sum))...) // finish fills it in
}

// finish fills in the hashes.
func (h *hashes) finish(pieces []byte) []byte {
	h.work.Wait()
	for i, at := range h.places {
		copy(pieces[at:], h.sums[i][:])
	}
	return pieces
}

// digests joins the pieces of all bands.
type digests struct {
	grid.Rect  // the universe
	planes     int
	blockBytes int
	blocks     []*grid.Digest
	parts      map[int][]byte // of blocks that bands share
	missing    map[int]int    // bytes of these that have not come
}

func newDigests(universe grid.Rect, planes, blockBytes int) *digests {
	d := &digests{Rect: universe, planes: planes, blockBytes: blockBytes, parts: map[int][]byte{}, missing: map[int]int{}}
	d.blocks = make([]*grid.Digest, (d.size()+blockBytes-1)/blockBytes)
	return d
}

// size is the number of bytes of the packed rows.
func (d *digests) size() int { return (d.W + 7) / 8 * d.H * d.planes }

var errPieces = errors.New("the hash of a band is damaged")

// add takes the pieces of a band.
func (d *digests) add(pieces []byte) error {
	for len(pieces) > 0 {
		if len(pieces) < pieceHead {
			return errPieces
		}
		block := binary.LittleEndian.Uint64(pieces)
		offset, n := int(binary.LittleEndian.Uint32(pieces[8:])), int(binary.LittleEndian.Uint32(pieces[12:]))
		pieces = pieces[pieceHead:]
		if block >= uint64(len(d.blocks)) {
			return errPieces
		}
		i := int(block)
		size := min(d.blockBytes, d.size()-i*d.blockBytes)
		switch {
		case n == 0 && len(pieces) >= len(grid.Digest{}):
			sum := grid.Digest(pieces)
			d.blocks[i], pieces = &sum, pieces[len(sum):]
			continue
		case n == 0, n > len(pieces), offset+n > size:
			return errPieces
		}
		if d.parts[i] == nil {
			d.parts[i], d.missing[i] = make([]byte, size), size
		}
		copy(d.parts[i][offset:], pieces[:n])
		pieces = pieces[n:]
		if d.missing[i] -= n; d.missing[i] == 0 {
			sum := grid.Digest(sha256.Sum256(d.parts[i]))
			d.blocks[i] = &sum
			delete(d.parts, i)
		}
	}
	return nil
}

// hashed is a universe elsewhere of which only the hashes of blocks can be had.
type hashed struct {
	grid.Rect
	planes int
	ask    func(blockBytes int) (*digests, error)
}

// Extent implements grid.Source.
func (h *hashed) Extent() (grid.Rect, error) { return h.Rect, nil }

// Planes implements grid.Source.
func (h *hashed) Planes() int { return h.planes }

// ReadRow implements grid.Source. No rows can be had.
func (h *hashed) ReadRow([]uint64, int, int, int, int) error {
	return fmt.Errorf("the cells are on other hosts: %w", grid.ErrTooLarge)
}

// BlockSums makes grid.StateHash read no rows.
func (h *hashed) BlockSums(_ context.Context, planes, blockBytes int) ([]*grid.Digest, error) {
	d, err := h.ask(blockBytes)
	if err != nil {
		return nil, err
	}
	for _, sum := range d.blocks {
		if sum == nil {
			return nil, errPieces
		}
	}
	return d.blocks, nil
}
