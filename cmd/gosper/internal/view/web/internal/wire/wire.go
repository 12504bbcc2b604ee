// Package wire packs frames for the page.
package wire

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
)

// A frame on the wire is a header of little-endian numbers and then packed samples, which the page's shader unpacks:
//
//	0   uint8   1, the version
//	1   uint8   bits a sample: 1, 2, 4 or 8
//	2   uint8   scale: a sample stands for 2^scale × 2^scale cells
//	3   uint8   flags: 1 the samples are densities, 2 they are estimates from some of the rows, 4 they have levels of a
//	            channel, 8 the samples are given as changes
//	4   uint32  sequence number, which the viewer acknowledges
//	8   int64   x of the upper left cell
//	16  int64   y
//	24  uint32  samples a row
//	28  uint32  rows
//	32  uint64  generation
//	40  uint32… row after row, each of whole words; the first sample of a word in its lowest bits
//
// At scale 0 a sample is the state of a cell. Above, it is a density of four bits: 0 where no cell is alive,
// else 1 to 15, as exposure has it for the frame. With a channel (package far) it has eight bits, the upper
// four of which are the channel's level.
//
// Changes are from the samples of the frame before: the number of equal bytes, the number of other bytes, and these,
// each combined with the old one by exclusive or; then the same again. Bytes at the end that are not named are equal.
// Numbers have seven bits a byte, the lowest first, and the upper bit set if more follow.
const (
	frameVersion = 1
	HeaderBytes  = 40
	DensityBits  = 4

	flagDensity = 1
	flagSampled = 2
	flagChannel = 4
	flagChanges = 8
)

const (
	faintest = 5  // level of the least density, so that a single live cell is visible
	fullest  = 15 // level of the largest density
	contrast = 4  // the largest density counts as at least this many times the least, so that an even picture stays even
)

// exposure turns the densities of a scene (1 + ⌊254·share⌋, or 0 for none) into the levels of a frame. A level
// depends on the square root of the share of live cells, between the least and the largest share, as an eye
// adapts. The extreme 0.5 % of the blocks at either end do not count. A settled soup is 3 % alive, and its
// active parts are somewhat denser. inverted says that dead cells were counted.
func exposure(densities []uint8, inverted bool) *[256]uint8 {
	var count [256]int
	for _, d := range densities {
		count[d]++
	}
	live := func(d int) int { // the density of live cells
		if inverted {
			return 255 - d
		}
		return d
	}
	var sorted [256]int
	total := 0
	for d, n := range count {
		sorted[live(d)] = n
		if live(d) > 0 {
			total += n
		}
	}
	least, largest := 0, 0
	for seen, d := 0, 1; d < len(sorted); d++ {
		if seen += sorted[d]; seen > total/200 && least == 0 {
			least = d
		}
		if largest = d; seen >= total-total/200 {
			break
		}
	}
	low, high := math.Sqrt(float64(max(least, 1))), math.Sqrt(float64(max(largest, 1)))
	if wanting := math.Sqrt(contrast) * low / high; wanting > 1 { // spread them evenly, but not beyond a full block
		high = min(high*math.Sqrt(wanting), math.Sqrt(255))
		low = high / math.Sqrt(contrast)
	}
	var table [256]uint8
	for d := range table {
		if v := live(d); v > 0 {
			share := (math.Sqrt(float64(v)) - low) / (high - low)
			table[d] = uint8(math.Round(faintest + (fullest-faintest)*min(max(share, 0), 1)))
		}
	}
	return &table
}

// expose turns densities into levels, in place. If so few blocks are alive that they could be overlooked, it
// makes them and the blocks around them bright.
func expose(densities []uint8, w int, inverted bool) {
	table := exposure(densities, inverted)
	var alive []int
	for i, d := range densities {
		if densities[i] = table[d]; densities[i] > 0 && len(alive) <= len(densities)/few {
			alive = append(alive, i)
		}
	}
	if len(alive) > len(densities)/few {
		return
	}
	for _, i := range alive {
		around(densities, w, i, (faintest+fullest)/2)
	}
	for _, i := range alive {
		densities[i] = fullest
	}
}

// around gives the pixels around one a level at least.
func around(levels []uint8, w, i int, level uint8) {
	for _, n := range []int{i - 1, i + 1, i - w, i + w} {
		wraps := (n == i-1 || n == i+1) && n/w != i/w
		if n >= 0 && n < len(levels) && !wraps {
			levels[n] = max(levels[n], level)
		}
	}
}

// widen enlarges the pixels with a level of a channel if they are so few that they could be overlooked.
func widen(levels []uint8, w int) {
	var some []int
	for i, level := range levels {
		if level > 0 {
			if some = append(some, i); len(some) > len(levels)/few*8 {
				return
			}
		}
	}
	old := slices.Clone(levels)
	for _, i := range some {
		around(levels, w, i, old[i])
	}
}

// few: if only one block in this many is alive, it is easily overlooked.
const few = 1024

// sampleBits is the number of bits of a state with the given number of planes.
func sampleBits(planes int) int {
	bits := 1
	for bits < planes {
		bits *= 2
	}
	return bits
}

// rowWords is the number of 32-bit words in a row of samples.
func rowWords(samples, bits int) int { return (samples*bits + 31) / 32 }

// Append appends the frame's message to buf, with the sequence number 0. levels are those of a channel, empty without
// one. empty is the background: state 0 and it are exchanged, so that dead cells are 0 in every message.
func Append(buf []byte, f *scene.Frame, levels []uint8, generation uint64, empty uint8) []byte {
	bits, flags := sampleBits(f.Planes), uint8(0)
	if f.Scale > 0 {
		bits, flags = DensityBits, flagDensity
		if f.Sampled {
			flags |= flagSampled
		}
		if len(levels) > 0 {
			bits, flags = 2*DensityBits, flags|flagChannel
			widen(levels, f.W)
		}
	}
	buf = append(buf, frameVersion, uint8(bits), uint8(f.Scale), flags)
	buf = binary.LittleEndian.AppendUint32(buf, 0)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(f.X))
	buf = binary.LittleEndian.AppendUint64(buf, uint64(f.Y))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(f.W))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(f.H))
	buf = binary.LittleEndian.AppendUint64(buf, generation)
	if f.Scale > 0 {
		expose(f.Density, f.W, empty != 0)
	}
	at, row := len(buf), 4*rowWords(f.W, bits)
	buf = slices.Grow(buf, row*f.H)[:at+row*f.H]
	for y := range f.H {
		to := buf[at+row*y : at+row*(y+1)]
		switch {
		case flags&flagChannel != 0:
			clear(to[f.W:])
			for x := range f.W {
				to[x] = f.Density[y*f.W+x] | levels[y*f.W+x]<<DensityBits
			}
		case f.Scale > 0:
			packLevels(to, f.Density[y*f.W:(y+1)*f.W])
		default:
			packStates(to, f, y, bits, empty)
		}
	}
	return buf
}

// Number gives a message its sequence number and returns it.
func Number(message []byte, sequence uint32) []byte {
	binary.LittleEndian.PutUint32(message[4:], sequence)
	return message
}

// Calm keeps the densities that differ by one level from those of another frame of the same region, so that small
// fluctuations take no bytes. It changes the message to. Cells that are alone stay visible, as 0 is exact.
func Calm(from, to []byte) {
	if len(from) != len(to) || from[1] != DensityBits || to[1] != DensityBits {
		return
	}
	for i := HeaderBytes; i < len(to); i++ {
		if to[i] == from[i] {
			continue
		}
		for shift := 0; shift < 8; shift += DensityBits {
			old, now := int(from[i]>>shift&15), int(to[i]>>shift&15)
			if old > 0 && now > 0 && max(old-now, now-old) == 1 {
				to[i] ^= uint8((old ^ now) << shift)
			}
		}
	}
}

// Changes returns the message of a frame for those who have another frame of the same region: what has changed, or
// the message itself if that is not longer or the samples have other sizes.
func Changes(from, to []byte) []byte {
	const leastEqual = 4 // bytes between two runs of other bytes, as two numbers take at least two
	if len(from) != len(to) || from[1] != to[1] {
		return to
	}
	a, b := from[HeaderBytes:], to[HeaderBytes:]
	out := append(make([]byte, 0, len(to)), to[:HeaderBytes]...)
	out[3] |= flagChanges
	for at := 0; ; {
		first := at
		for at+8 <= len(a) && binary.LittleEndian.Uint64(a[at:]) == binary.LittleEndian.Uint64(b[at:]) {
			at += 8
		}
		for at < len(a) && a[at] == b[at] {
			at++
		}
		if at == len(a) {
			return out
		}
		begin, end := at, at+1 // of the run of other bytes
		for ; at < len(a) && at < end+leastEqual; at++ {
			if a[at] != b[at] {
				end = at + 1
			}
		}
		if len(out)+end-begin+2*binary.MaxVarintLen32 > len(to) {
			return to
		}
		out = binary.AppendUvarint(out, uint64(begin-first))
		out = binary.AppendUvarint(out, uint64(end-begin))
		for i := begin; i < end; i++ {
			out = append(out, a[i]^b[i])
		}
		at = end
	}
}

// packStates packs a row of states. It interleaves the bits of the scene's planes.
func packStates(to []byte, f *scene.Frame, y, bits int, empty uint8) {
	clear(to)
	words, spread := (f.W+63)/64, &spread()[bits]
	for plane := range f.Planes {
		for i, word := range f.Bits[(plane*f.H+y)*words : (plane*f.H+y+1)*words] {
			if empty>>plane&1 == 1 {
				word ^= exchanged(f, y, i, empty)
			}
			at := 8 * i * bits
			if bits == 1 && at+8 <= len(to) {
				binary.LittleEndian.PutUint64(to[at:], word)
				continue
			}
			for ; word != 0 && at < len(to); at += bits {
				field := spread[uint8(word)] << plane
				if at+8 <= len(to) {
					binary.LittleEndian.PutUint64(to[at:], binary.LittleEndian.Uint64(to[at:])|field)
				} else {
					for j := range min(bits, len(to)-at) {
						to[at+j] |= uint8(field >> (8 * j))
					}
				}
				word >>= 8
			}
		}
	}
}

// exchanged returns which cells of a word of a row are in state 0 or in the background's.
func exchanged(f *scene.Frame, y, i int, empty uint8) uint64 {
	words := (f.W + 63) / 64
	zero, is := ^uint64(0), ^uint64(0)
	for plane := range f.Planes {
		word := f.Bits[(plane*f.H+y)*words+i]
		zero &^= word
		if empty>>plane&1 == 0 {
			word = ^word
		}
		is &= word
	}
	some := zero | is
	if rest := f.W - 64*i; rest < 64 {
		some &= 1<<rest - 1
	}
	return some
}

// spread spreads, for 1, 2, 4 and 8 bits a sample, the eight bits of a byte to the lowest bits of eight samples.
var spread = sync.OnceValue(func() *[9][256]uint64 {
	table := new([9][256]uint64)
	for _, bits := range []int{1, 2, 4, 8} {
		for v := range 256 {
			for i := range 8 {
				table[bits][v] |= uint64(v>>i&1) << (i * bits)
			}
		}
	}
	return table
})

// packLevels packs a row of levels, two in each byte.
func packLevels(to []byte, row []uint8) {
	clear(to[len(row)/2:])
	for i := range len(row) / 2 {
		to[i] = row[2*i] | row[2*i+1]<<4
	}
	if n := len(row); n%2 == 1 {
		to[n/2] = row[n-1]
	}
}
