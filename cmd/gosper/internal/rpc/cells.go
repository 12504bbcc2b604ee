package rpc

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/topology"
)

// area gives the cells of a request, and the file for their states: one byte for each cell, row after row
// from the upper left cell, in a volume layer after layer. The client makes the file, with at least
// Width·Height·Depth bytes, and maps it into memory.
type area struct {
	File   string `json:"file"`
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Z      int    `json:"z"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Depth  int    `json:"depth"` // in two dimensions 0
	Bits   bool   `json:"bits"`  // read: eight cells in a byte, see packed
	Handle handle `json:"handle"`
}

// in returns the area with its rows as rows of the grid that stores the universe. An area of a volume must be
// within it, because the row after a layer's last one is in the next layer.
func (w area) in(t topology.Topology) (rows, error) {
	switch {
	case !t.Volume() && (w.Z != 0 || w.Depth != 0):
		return rows{}, console.Badf("z %d, depth %d: %v has two dimensions", w.Z, w.Depth, t)
	case !t.Volume():
		return rows{area: w, layer: w.Height}, nil
	case w.X < 0 || w.Y < 0 || w.Z < 0 || w.Width < 1 || w.Height < 1 || w.Depth < 1 ||
		w.Width > t.W-w.X || w.Height > t.LayerRows()-w.Y || w.Depth > t.D-w.Z:
		return rows{}, console.Badf("an area of %d×%d×%d cells from (%d, %d, %d) on: it must be within %s", w.Width,
			w.Height, w.Depth, w.X, w.Y, w.Z, t.Size())
	}
	r := rows{area: w, layer: w.Height, apart: t.LayerRows()}
	r.Height *= w.Depth
	r.Y += w.Z * r.apart
	return r, nil
}

// rows is an area whose Height and Y count the rows of all its layers.
type rows struct {
	area
	layer int // rows of a layer
	apart int // rows of the grid from a row to the same row of the next layer
}

// at returns the row of the grid that has the area's i-th row.
func (w rows) at(i int) int { return w.Y + i/w.layer*w.apart + i%w.layer }

// maxSide keeps products of sides within an int.
const maxSide = 1 << 31

// check refuses areas whose cells would not fit into the shared file. A file that is too short would
// end the process with a fault when it is mapped.
func (w rows) check(f *os.File) error {
	if w.Width < 1 || w.Height < 1 || w.Width > maxSide || w.Height > maxSide {
		return console.Badf("an area of %d×%d cells: sides of 1 to %d are allowed", w.Width, w.Height, maxSide)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if want := int64(w.rowBytes()) * int64(w.Height); info.Size() < want {
		return console.Badf("%s has %d bytes, fewer than the %d of the area's cells", w.File, info.Size(), want)
	}
	return nil
}

// rowBytes is the number of bytes of a row in the file.
func (w rows) rowBytes() int {
	if w.Bits {
		return (w.Width + 7) / 8
	}
	return w.Width
}

// rowsAtOnce returns the number of rows that are read before they are written to the file: about a megabyte,
// which fits in the cache.
func (w rows) rowsAtOnce() int { return max(1, min(w.Height, 1<<20/w.Width)) }

// spread[b] has bit i of b in its byte i:
//
//	b              h g f e d c b a
//	spread[b]      0000000h 0000000g … 0000000b 0000000a
var spread = func() (table [256]uint64) {
	for b := range table {
		for i := range 8 {
			table[b] |= uint64(b>>i&1) << (8 * i)
		}
	}
	return table
}()

// read writes the area's cells into its file. empty is the state of the background, which from has exchanged
// with state 0.
func (w rows) read(from grid.Source, empty uint8) error {
	f, err := os.OpenFile(w.File, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = w.check(f)
	if err == nil {
		err = w.readInto(f, from, empty)
	}
	return errors.Join(err, f.Close())
}

// readInto reads rows of the universe in one goroutine, because a universe is not safe for several. Other
// goroutines spread bits to bytes and write them.
func (w rows) readInto(f *os.File, from grid.Source, empty uint8) error {
	planes, words, atOnce := from.Planes(), (w.Width+63)/64, w.rowsAtOnce()
	type piece struct {
		y    int
		bits []uint64 // planes of rows of words
	}
	full, free := make(chan piece), make(chan []uint64, runtime.GOMAXPROCS(0)+1)
	for range cap(free) {
		free <- make([]uint64, atOnce*planes*words)
	}
	var group sync.WaitGroup
	failed := make([]error, runtime.GOMAXPROCS(0))
	for i := range failed {
		group.Go(func() {
			size := w.rowBytes()
			bytes := make([]byte, atOnce*size)
			for b := range full {
				n := min(atOnce, w.Height-b.y)
				for y := range n {
					to, from := bytes[y*size:][:size], b.bits[y*planes*words:][:planes*words]
					if w.Bits {
						packed(to, from, w.Width, empty)
					} else {
						spreadRow(to, from, planes)
					}
				}
				if !w.Bits {
					exchange(bytes, empty)
				}
				if failed[i] == nil {
					_, failed[i] = f.WriteAt(bytes[:n*size], int64(b.y)*int64(size))
				}
				free <- b.bits
			}
		})
	}
	var err error
	for y := 0; y < w.Height && err == nil; y += atOnce {
		bits := <-free
		for i := range min(atOnce, w.Height-y) {
			for p := range planes {
				err = errors.Join(err, from.ReadRow(bits[(i*planes+p)*words:][:words], p, w.X, w.at(y+i), w.Width))
			}
		}
		if err == nil {
			full <- piece{y, bits}
		}
	}
	close(full)
	group.Wait()
	return errors.Join(append(failed, err)...)
}

// name is the name of the area's i-th cell in a message.
func (w rows) name(i int) string {
	x, y := w.X+i%w.Width, w.at(i/w.Width)
	if w.apart == 0 {
		return fmt.Sprintf("cell (%d, %d)", x, y)
	}
	return fmt.Sprintf("cell (%d, %d, %d)", x, y%w.apart, y/w.apart)
}

// exchange exchanges state 0 and that of the background.
func exchange(states []byte, empty uint8) {
	if empty == 0 {
		return
	}
	for i, state := range states {
		states[i] = background.Exchange(state, empty)
	}
}

// spreadRow turns the planes of a row into bytes.
func spreadRow(dst []byte, bits []uint64, planes int) {
	words := len(bits) / planes
	for i := range words {
		if len(dst) >= 64 {
			spreadWord(dst[:64], bits[i:], words)
			dst = dst[64:]
			continue
		}
		var last [64]byte
		spreadWord(last[:], bits[i:], words)
		copy(dst, last[:])
	}
}

// spreadWord turns a word of each plane into 64 bytes. Planes are apart words apart.
func spreadWord(dst []byte, bits []uint64, apart int) {
	clear(dst)
	for plane := 0; plane*apart < len(bits); plane++ {
		word := bits[plane*apart]
		for i := 0; i < 64; i += 8 {
			le.PutUint64(dst[i:], le.Uint64(dst[i:])|spread[byte(word)]<<plane)
			word >>= 8
		}
	}
}

// gather is a multiplier that brings the lowest bits of eight bytes together in the top byte:
//
//	0000000h 0000000g … 0000000a  × gather  =  hgfedcba ……
const gather = 0x0102040810204080

// write gives the area's cells the states in its file. It writes nothing if any state is not below states.
// empty is the state of the background, which to has exchanged with state 0.
func (w rows) write(to grid.Sink, planes, states int, empty uint8) error {
	f, err := os.Open(w.File)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := w.check(f); err != nil {
		return err
	}
	atOnce := w.rowsAtOnce()
	block := make([]byte, atOnce*w.Width)
	blocks := func(do func(y int, cells []byte) error) error {
		for y := 0; y < w.Height; y += atOnce {
			cells := block[:min(atOnce, w.Height-y)*w.Width]
			if _, err := f.ReadAt(cells, int64(y)*int64(w.Width)); err != nil {
				return err
			}
			if err := do(y, cells); err != nil {
				return err
			}
		}
		return nil
	}
	if states < 256 {
		err := blocks(func(y int, cells []byte) error {
			for i, s := range cells {
				if int(s) >= states {
					return console.Badf("%s has state %d: the rule has states 0 to %d", w.name(y*w.Width+i), s, states-1)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	bits := make([]uint64, (w.Width+63)/64)
	return blocks(func(y int, cells []byte) error {
		exchange(cells, empty)
		for i := 0; i*w.Width < len(cells); i++ {
			row := cells[i*w.Width:][:w.Width]
			for p := range planes {
				pack(bits, row, p)
				if err := to.WriteRow(bits, p, w.X, w.at(y+i), w.Width); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// pack gathers bit p of each byte of a row.
func pack(bits []uint64, row []byte, p int) {
	clear(bits)
	for x := 0; x < len(row); x += 8 {
		var eight [8]byte
		copy(eight[:], row[x:])
		bits[x/64] |= le.Uint64(eight[:]) >> p & 0x0101010101010101 * gather >> 56 << (x % 64)
	}
}
