package web

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/gosper-life/gosper/view/session"
)

// A frame on the wire is a header of little-endian numbers and then packed samples, which the page's shader unpacks:
//
//	0   uint8   1, the version
//	1   uint8   bits a sample: 1, 2, 4 or 8
//	2   uint8   scale: a sample stands for 2^scale × 2^scale cells
//	3   uint8   flags: 1 the samples are densities, 2 they are estimates from some of the rows
//	4   uint32  sequence number, which the viewer acknowledges
//	8   int64   x of the upper left cell
//	16  int64   y
//	24  uint32  samples a row
//	28  uint32  rows
//	32  uint64  generation
//	40  uint32… row after row, each of whole words; the first sample of a word in its lowest bits
//
// At scale 0 a sample is the state of a cell. Above, it is a density of four bits: 0 where no cell is alive, else 1 to 15, by the
// square root of the share of live cells, for soups that have settled are 3 % alive.
const (
	frameVersion = 1
	headerBytes  = 40
	densityBits  = 4

	flagDensity = 1
	flagSampled = 2
)

// levels turns the densities of a scene, 1 + ⌊254·share⌋ or 0 for none, into those of the wire; levelsInverted does where dead
// cells are what was counted.
var levels, levelsInverted = func() (l, inverted [256]uint8) {
	for i := range 255 {
		l[i+1] = uint8(max(1, math.Round(15*math.Sqrt(float64(i)/254))))
	}
	for i := range inverted {
		inverted[i] = l[255-i]
	}
	return l, inverted
}()

// sampleBits is how many bits a state takes that is spread over so many planes.
func sampleBits(planes int) int {
	bits := 1
	for bits < planes {
		bits *= 2
	}
	return bits
}

// rowWords is the words of 32 bits that a row of samples takes.
func rowWords(samples, bits int) int { return (samples*bits + 31) / 32 }

// appendFrame appends the frame's message to buf. Where the background is alive states 0 and 1 are exchanged, so that dead cells
// are 0 in every message.
func appendFrame(buf []byte, f *session.Frame, sequence uint32) []byte {
	bits, flags := sampleBits(f.Planes), uint8(0)
	if f.Scale > 0 {
		bits, flags = densityBits, flagDensity
		if f.Sampled {
			flags |= flagSampled
		}
	}
	buf = append(buf, frameVersion, uint8(bits), uint8(f.Scale), flags)
	buf = binary.LittleEndian.AppendUint32(buf, sequence)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(f.X))
	buf = binary.LittleEndian.AppendUint64(buf, uint64(f.Y))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(f.W))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(f.H))
	buf = binary.LittleEndian.AppendUint64(buf, f.Status.Generation)
	at, row := len(buf), 4*rowWords(f.W, bits)
	buf = slices.Grow(buf, row*f.H)[:at+row*f.H]
	for y := range f.H {
		to := buf[at+row*y : at+row*(y+1)]
		if f.Scale > 0 {
			packDensities(to, f.Density[y*f.W:(y+1)*f.W], f.Status.Background == 1)
		} else {
			packStates(to, f, y, bits)
		}
	}
	return buf
}

// packStates packs a row of states: the planes of the scene, bit by bit side by side.
func packStates(to []byte, f *session.Frame, y, bits int) {
	clear(to)
	words := (f.W + 63) / 64
	for plane := range f.Planes {
		for i, word := range f.Bits[(plane*f.H+y)*words : (plane*f.H+y+1)*words] {
			if plane == 0 && f.Status.Background == 1 {
				word = ^word
				if rest := f.W - 64*i; rest < 64 {
					word &= 1<<rest - 1
				}
			}
			for at := 8 * i * bits; word != 0 && at < len(to); at += bits {
				var field [8]byte
				binary.LittleEndian.PutUint64(field[:], spread[bits][uint8(word)]<<plane)
				for j := range min(bits, len(to)-at) {
					to[at+j] |= field[j]
				}
				word >>= 8
			}
		}
	}
}

// spread has, for 1, 2, 4 and 8 bits a sample, the eight bits of a byte as the lowest bits of eight samples.
var spread = func() (table [9][256]uint64) {
	for _, bits := range []int{1, 2, 4, 8} {
		for v := range 256 {
			for i := range 8 {
				table[bits][v] |= uint64(v>>i&1) << (i * bits)
			}
		}
	}
	return table
}()

// packDensities packs a row of densities, two a byte.
func packDensities(to []byte, row []uint8, inverted bool) {
	table := &levels
	if inverted {
		table = &levelsInverted
	}
	clear(to[len(row)/2:])
	for i := range len(row) / 2 {
		to[i] = table[row[2*i]] | table[row[2*i+1]]<<4
	}
	if n := len(row); n%2 == 1 {
		to[n/2] = table[row[n-1]]
	}
}
