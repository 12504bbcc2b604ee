package window

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/gosper-life/gosper/census/internal/card"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/rule"
)

// Texts are the kernels of the windows for a rule of two states, each in a module of its own, so that they are
// compiled at the same time. gliders says whether they are struck. The error says why the rule is not supported.
func Texts(r rule.Rule, gliders bool) ([]string, error) {
	f := compile.Warp(r, 1, false)
	if n := f.Tables(); n > mostTables || f.Recurrent || f.Drifts || f.Radius != 1 || f.Planes != 1 ||
		len(f.Given()) > 0 || len(f.Chances()) > 0 {
		return nil, fmt.Errorf(
			"rule %v takes %d tables for a cell: a census on a GPU is for rules of two states and %d tables at most", r, n,
			mostTables)
	}
	var texts []string
	before := window(0)
	for i, w := range windows {
		var m ptx.Module
		write(&m, w.kernel(), f, w, before, gliders, i == len(windows)-1)
		texts = append(texts, m.String())
		before = w
	}
	return texts, nil
}

// Prepare implements card.Prepare with the devices that open opens.
func Prepare(r rule.Rule, gliders bool, open func(ordinal int) (*gpu.Device, error)) (card.Opener, error) {
	texts, err := Texts(r, gliders)
	if err != nil {
		return nil, err
	}
	return func(ordinal, lot, limit int) (card.Card, error) {
		dev, err := open(ordinal)
		if none := new(gpu.Unavailable); errors.As(err, &none) {
			return nil, &card.Unavailable{Err: err}
		}
		if err != nil {
			return nil, err
		}
		return Open(dev, texts, lot, limit)
	}, nil
}

// mostTables keeps kernels short enough to be compiled in seconds.
const mostTables = 64

func (w window) kernel() string { return fmt.Sprintf("window%d", w.side()) }

// Card is a card.Card.
type Card struct {
	dev     *gpu.Device
	limit   int // generations
	kernels []*gpu.Kernel
	soups   uint64
	records []uint64 // of the windows after the first
	numbers uint64
	out     uint64
	pieces  chan []uint32
	release []func()
}

const (
	pieceWords = 1 << 20
	morePieces = 16
)

// Numbers on the device: for each window how many soups or records there are, and the next of them; then the
// units of the output.
func numberBytes() uint64 { return 8*uint64(len(windows)) + 8 }

// Open prepares a device for lots of soups of the rule whose kernels are given. After this number of generations the
// GPU hands over a soup that has not settled.
func Open(dev *gpu.Device, texts []string, lot, limit int) (*Card, error) {
	c := &Card{dev: dev, limit: limit, pieces: make(chan []uint32, morePieces)}
	err := dev.Do(func() error {
		alloc := func(words int) (at uint64, err error) { return dev.Alloc(4 * uint64(lot) * uint64(words)) }
		var err error
		for _, text := range texts {
			dev.Ahead(text)
		}
		for i, w := range windows {
			k, failed := dev.Kernel(texts[i], w.kernel(), warps*ptx.Lanes, warps*w.warpBytes())
			if failed != nil {
				return failed
			}
			c.kernels = append(c.kernels, k)
			if i+1 < len(windows) {
				at, failed := alloc(headerWords + w.words())
				err = errors.Join(err, failed)
				c.records = append(c.records, at)
			}
		}
		var failed [3]error
		c.soups, failed[0] = alloc(soupRows)
		c.out, failed[1] = alloc(headerWords + 2*windows[len(windows)-1].words())
		c.numbers, failed[2] = dev.Alloc(numberBytes())
		for range morePieces {
			b, release := dev.HostBuffer(4 * pieceWords)
			c.pieces <- unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), pieceWords)
			c.release = append(c.release, release)
		}
		return errors.Join(append(failed[:], err)...)
	})
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// Close implements card.Card.
func (c *Card) Close() error {
	_ = c.dev.Do(func() error {
		c.dev.Free(append(c.records, c.soups, c.numbers, c.out)...)
		for _, release := range c.release {
			release()
		}
		return nil
	})
	return c.dev.Close()
}

// Name implements card.Card.
func (c *Card) Name() string { return c.dev.Name }

// Piece is a card.Piece.
type Piece struct {
	card   *Card
	buffer []uint32
	first  uint64 // number of the lot's first soup
	n      int    // words
	once   sync.Once
}

// Done implements card.Piece.
func (p *Piece) Done() { p.once.Do(func() { p.card.pieces <- p.buffer }) }

// Settle implements card.Card.
func (c *Card) Settle(first uint64, soups []uint32, deliver func(card.Piece)) error {
	return c.dev.Do(func() error {
		numbers := make([]uint32, numberBytes()/4)
		numbers[0] = uint32(len(soups) / soupRows)
		err := errors.Join(c.dev.Write(c.numbers, gpu.Bytes(numbers)), c.dev.Write(c.soups, gpu.Bytes(soups)))
		if err != nil {
			return err
		}
		from, units := c.soups, c.numbers+8*uint64(len(windows))
		for i, k := range c.kernels {
			at, larger := c.numbers+8*uint64(i), uint64(0)
			if i < len(c.records) {
				larger = c.records[i]
			}
			blocks := min(max(1, k.Resident)*c.dev.Multiprocessors, (int(numbers[0])+warps-1)/warps)
			if err := k.Launch(blocks, 1, from, at, at+4, larger, at+8, c.out, units, uint64(c.limit)); err != nil {
				return err
			}
			from = larger
		}
		if err := c.dev.Read(gpu.Bytes(numbers), c.numbers); err != nil {
			return err
		}
		return c.deliver(first, uint64(numbers[len(numbers)-2])*unit, deliver)
	})
}

// deliver copies the output in pieces of whole records.
func (c *Card) deliver(first, n uint64, deliver func(card.Piece)) error {
	for at := uint64(0); at < n; {
		p := &Piece{card: c, buffer: <-c.pieces, first: first, n: int(min(n-at, pieceWords))}
		if err := c.dev.Read(gpu.Bytes(p.buffer[:p.n]), c.out+4*at); err != nil {
			p.Done()
			return err
		}
		whole := 0
		for whole+unit <= p.n {
			size := recordWords(p.buffer[whole:])
			if whole+size > p.n {
				break
			}
			whole += size
		}
		if whole == 0 {
			p.Done()
			return errors.New("the GPU left a part of a record")
		}
		p.n = whole
		at += uint64(whole)
		deliver(p)
	}
	return nil
}

// shape decodes the header of a record: the window, the first lane and the number of lanes, the words of the header,
// and how many parts of cells follow it.
func shape(header []uint32) (w window, first, lanes, headerLength, parts int) {
	h := header[headerStatus]
	w, first, lanes = window(h&0xFF), int(h>>16&0xFF), int(h>>24)
	switch int(h >> 8 & 0xFF) {
	case settled:
		return w, first, lanes, shortHeader, 2
	case settledLeft:
		return w, first, lanes, headerWords, 2
	case again:
		return w, 0, 0, shortHeader, 0
	}
	return w, first, lanes, headerWords, 1
}

// recordWords is the length of the record with a header.
func recordWords(header []uint32) int {
	w, _, lanes, length, parts := shape(header)
	return (length + parts*lanes*int(w*w) + unit - 1) / unit * unit
}

// Records implements card.Piece.
func (p *Piece) Records(do func(*card.Record)) {
	var r card.Record
	for at := 0; at < p.n; at += recordWords(p.buffer[at:]) {
		h := p.buffer[at:]
		w, first, lanes, length, parts := shape(h)
		words := lanes * int(w*w)
		r.Soup, r.Fate, r.Generation = p.first+uint64(h[headerSoup]), card.Fate(h[headerStatus]>>8&0xFF),
			int(h[headerGeneration])
		r.Side, r.Top, r.Struck = w.side(), first*int(w), int(h[headerGliders])
		r.Cells, r.Ever, r.Gliders, r.Left, r.Squares = nil, nil, r.Gliders[:0], r.Left[:0], r.Squares[:0]
		if parts > 0 {
			r.Cells = h[length:][:words]
		}
		if parts > 1 {
			r.Ever = h[length+words:][:words]
		}
		if length > shortHeader {
			for g := range r.Struck {
				place, look := h[headerGlider+2*g], h[headerGlider+2*g+1]
				at := func(shift int) int { return int(place>>shift&(1<<placeBits-1)) - bias }
				glider := gliderOf(int(look >> directionBit & 3))
				glider.X, glider.Y, glider.Generation = at(0), at(placeBits), int(look&(1<<generationBits-1))
				r.Gliders, r.Squares = append(r.Gliders, glider), append(r.Squares, int(look>>squareBit&511))
				if look>>leavingBit&1 != 0 {
					r.Left = append(r.Left, g)
				}
			}
		}
		do(&r)
	}
}
