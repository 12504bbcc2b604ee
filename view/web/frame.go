package web

import (
	"encoding/binary"
	"math"

	"github.com/gosper-life/gosper/view/session"
)

// A frame on the wire is a header of little-endian numbers and then bit planes, which the page's shader unpacks:
//
//	0   uint8   1, the version
//	1   uint8   planes
//	2   uint8   scale: a sample stands for 2^scale × 2^scale cells
//	3   uint8   flags: 1 the samples are densities, 2 they are estimates from some of the rows
//	4   uint32  sequence number, which the viewer acknowledges
//	8   int64   x of the upper left cell
//	16  int64   y
//	24  uint32  samples a row
//	28  uint32  rows
//	32  uint64  generation
//	40  uint32… plane after plane, row after row, ⌈samples/32⌉ words a row, sample 32·v+i in bit i of word v
//
// At scale 0 a sample is the state of a cell. Above, it is a density in four planes: 0 where no cell is alive, else 1 to 15, by
// the square root of the share of live cells, for soups that have settled are 3 % alive.
const (
	frameVersion  = 1
	headerBytes   = 40
	densityPlanes = 4

	flagDensity = 1
	flagSampled = 2
)

// levels turns the densities of a scene, 1 + ⌊254·share⌋ or 0 for none, into those of the wire.
var levels = func() (l [256]uint8) {
	for i := range 255 {
		l[i+1] = uint8(max(1, math.Round(15*math.Sqrt(float64(i)/254))))
	}
	return l
}()

// appendFrame appends the frame's message to buf. Where the background is alive states 0 and 1 are exchanged, so that dead cells
// are 0 in every message.
func appendFrame(buf []byte, f *session.Frame, sequence uint32) []byte {
	planes, flags := f.Planes, uint8(0)
	if f.Scale > 0 {
		planes, flags = densityPlanes, flagDensity
		if f.Sampled {
			flags |= flagSampled
		}
	}
	buf = append(buf, frameVersion, uint8(planes), uint8(f.Scale), flags)
	buf = binary.LittleEndian.AppendUint32(buf, sequence)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(f.X))
	buf = binary.LittleEndian.AppendUint64(buf, uint64(f.Y))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(f.W))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(f.H))
	buf = binary.LittleEndian.AppendUint64(buf, f.Status.Generation)
	if f.Scale > 0 {
		return appendDensities(buf, f)
	}
	return appendStates(buf, f)
}

func appendStates(buf []byte, f *session.Frame) []byte {
	words, halves := (f.W+63)/64, (f.W+31)/32
	var flip uint64
	if f.Status.Background == 1 {
		flip = ^uint64(0)
	}
	for row := range f.Planes * f.H {
		if row == f.H {
			flip = 0 // only the lowest plane tells 0 and 1 apart
		}
		for i, word := range f.Bits[row*words : (row+1)*words] {
			word ^= flip
			if rest := f.W - 64*i; rest < 64 {
				word &= 1<<rest - 1
			}
			buf = binary.LittleEndian.AppendUint32(buf, uint32(word))
			if 2*i+1 < halves {
				buf = binary.LittleEndian.AppendUint32(buf, uint32(word>>32))
			}
		}
	}
	return buf
}

func appendDensities(buf []byte, f *session.Frame) []byte {
	words := (f.W + 31) / 32
	plane := 4 * words * f.H
	at := len(buf)
	buf = append(buf, make([]byte, densityPlanes*plane)...)
	for y := range f.H {
		row := f.Density[y*f.W : (y+1)*f.W]
		for x := 0; x < f.W; x += 8 {
			// Eight levels of four bits each: bit p of level i goes to bit i of a byte in plane p.
			var packed uint32
			for i, d := range row[x:min(x+8, f.W)] {
				if f.Status.Background == 1 {
					d = ^d
				}
				packed |= uint32(levels[d]) << (4 * i)
			}
			if packed == 0 {
				continue
			}
			to := at + 4*words*y + x>>3
			for p := range densityPlanes {
				buf[to+p*plane] = gather(packed >> p)
			}
		}
	}
	return buf
}

// gather is every fourth bit of v, from bit 0 on.
func gather(v uint32) uint8 {
	v &= 0x11111111
	v = (v | v>>3) & 0x03030303
	v = (v | v>>6) & 0x000f000f
	return uint8(v | v>>12)
}
