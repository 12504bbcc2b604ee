package hosts

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"runtime"
	"sync"

	"github.com/gosper-life/gosper/grid"
)

// The hash of a universe is made of the hashes of consecutive pieces of its packed rows (grid.StateHash). A band hashes
// the pieces that it holds whole. It sends the bytes of pieces that it shares with another band. In a message these
// are fragments:
//
//	8 bytes   the number of the piece
//	4 bytes   the place of the bytes in the piece
//	4 bytes   their number; 0 for the hash of a whole piece
//	…         the bytes, or the 32 bytes of the hash
const fragmentHead = 8 + 4 + 4

// fragments appends the fragments of a band for pieces of some bytes.
func (b *band) fragments(ctx context.Context, pieceBytes int) ([]byte, error) {
	src, w := b.cells(), b.topology.W
	packedRow, height := (w+7)/8, b.lines*b.rows
	words := make([]uint64, (w+63)/64)
	bytes := make([]byte, 0, rowBytes(w))
	var fragments []byte
	hashing := newHashes()
	for k := range b.planes {
		at := (k*height + b.First*b.rows) * packedRow // in the stream of packed rows
		var piece []byte
		// A piece that begins in the band above, or ends in the one below, is sent as it is. The
		// coordinator joins the parts and hashes them.
		flush := func() {
			fragments = hashing.fragment(fragments, piece, at-len(piece), pieceBytes, at == b.planes*height*packedRow)
			piece = nil
		}
		for y := range b.Lines * b.rows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			b.moves.Add(1)
			if err := src.ReadRow(words, k, 0, y, w); err != nil {
				return nil, err
			}
			bytes = appendWords(bytes[:0], words)
			for rest := bytes[:packedRow]; len(rest) > 0; {
				n := min(len(rest), pieceBytes-at%pieceBytes)
				piece, rest = append(piece, rest[:n]...), rest[n:]
				if at += n; at%pieceBytes == 0 {
					flush()
				}
			}
		}
		if len(piece) > 0 {
			flush()
		}
	}
	return hashing.finish(fragments), nil
}

// hashes computes the hashes of pieces on all cores.
type hashes struct {
	room   chan struct{}
	work   sync.WaitGroup
	places []int // where in the fragments the hashes belong
	sums   []*grid.Digest
}

func newHashes() *hashes { return &hashes{room: make(chan struct{}, runtime.GOMAXPROCS(0))} }

// fragment appends the fragment of bytes that begin at a place of the stream. last says that the stream ends with them.
func (h *hashes) fragment(fragments, piece []byte, start, pieceBytes int, last bool) []byte {
	fragments = binary.LittleEndian.AppendUint64(fragments, uint64(start/pieceBytes))
	offset := start % pieceBytes
	fragments = binary.LittleEndian.AppendUint32(fragments, uint32(offset))
	if offset > 0 || len(piece) < pieceBytes && !last {
		fragments = binary.LittleEndian.AppendUint32(fragments, uint32(len(piece)))
		return append(fragments, piece...)
	}
	fragments = binary.LittleEndian.AppendUint32(fragments, 0)
	sum := new(grid.Digest)
	h.places, h.sums = append(h.places, len(fragments)), append(h.sums, sum)
	h.room <- struct{}{}
	h.work.Go(func() {
		*sum = sha256.Sum256(piece)
		<-h.room
	})
	return append(fragments, make([]byte, len(sum))...) // finish fills it in
}

// finish fills in the hashes.
func (h *hashes) finish(fragments []byte) []byte {
	h.work.Wait()
	for i, at := range h.places {
		copy(fragments[at:], h.sums[i][:])
	}
	return fragments
}

// digests joins the fragments of all bands.
type digests struct {
	grid.Rect  // the universe
	planes     int
	pieceBytes int
	pieces     []*grid.Digest
	parts      map[int][]byte // of pieces that bands share
	missing    map[int]int    // bytes of these that have not come
}

func newDigests(universe grid.Rect, planes, pieceBytes int) *digests {
	d := &digests{Rect: universe, planes: planes, pieceBytes: pieceBytes, parts: map[int][]byte{}, missing: map[int]int{}}
	d.pieces = make([]*grid.Digest, (d.size()+pieceBytes-1)/pieceBytes)
	return d
}

// size is the number of bytes of the packed rows.
func (d *digests) size() int { return (d.W + 7) / 8 * d.H * d.planes }

var errFragments = errors.New("the hash of a band is damaged")

// add takes the fragments of a band.
func (d *digests) add(fragments []byte) error {
	for len(fragments) > 0 {
		if len(fragments) < fragmentHead {
			return errFragments
		}
		piece := binary.LittleEndian.Uint64(fragments)
		offset, n := int(binary.LittleEndian.Uint32(fragments[8:])), int(binary.LittleEndian.Uint32(fragments[12:]))
		fragments = fragments[fragmentHead:]
		if piece >= uint64(len(d.pieces)) {
			return errFragments
		}
		i := int(piece)
		size := min(d.pieceBytes, d.size()-i*d.pieceBytes)
		switch {
		case n == 0 && len(fragments) >= len(grid.Digest{}):
			sum := grid.Digest(fragments)
			d.pieces[i], fragments = &sum, fragments[len(sum):]
			continue
		case n == 0, n > len(fragments), offset+n > size:
			return errFragments
		}
		if d.parts[i] == nil {
			d.parts[i], d.missing[i] = make([]byte, size), size
		}
		copy(d.parts[i][offset:], fragments[:n])
		fragments = fragments[n:]
		if d.missing[i] -= n; d.missing[i] == 0 {
			sum := grid.Digest(sha256.Sum256(d.parts[i]))
			d.pieces[i] = &sum
			delete(d.parts, i)
		}
	}
	return nil
}

// mostHashed is the number of bytes of packed rows above which a state hash is made in another way, which reads cells.
const mostHashed = 1 << 47

var errElsewhere = errors.New("the cells are on other hosts")

// hashed is a universe on another machine, which sends only the hashes of its pieces.
type hashed struct {
	grid.Rect
	planes int
	ask    func(pieceBytes int) (*digests, error)
}

// Extent implements grid.Source.
func (h *hashed) Extent() (grid.Rect, error) { return h.Rect, nil }

// Planes implements grid.Source.
func (h *hashed) Planes() int { return h.planes }

// ReadRow implements grid.Source. It always fails, because the rows are on another machine.
func (h *hashed) ReadRow([]uint64, int, int, int, int) error {
	return errElsewhere
}

// PieceSums makes grid.StateHash read no rows.
func (h *hashed) PieceSums(_ context.Context, planes, pieceBytes int) ([]*grid.Digest, error) {
	d, err := h.ask(pieceBytes)
	if err != nil {
		return nil, err
	}
	for _, sum := range d.pieces {
		if sum == nil {
			return nil, errFragments
		}
	}
	return d.pieces, nil
}
