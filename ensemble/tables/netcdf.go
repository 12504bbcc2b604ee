package tables

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/topology"
)

// Types of values in the classic format of NetCDF with offsets of 64 bits. R. Rew et al., "The NetCDF Classic Format
// Specification", Unidata, describes it: a header, then the variables one after the other, all big-endian, each padded
// to four bytes.
const (
	ncByte   = 1 // signed
	ncChar   = 2
	ncDouble = 6

	ncDimensions = 10
	ncVariables  = 11
	ncAttributes = 12
)

// attribute is a text or a number that belongs to a variable or to the file.
type attribute struct {
	name  string
	value any // string or float64
}

// variable is an array of a file.
type variable struct {
	name       string
	dimensions []int // their numbers
	kind       uint32
	attributes []attribute
	data       []byte // nil for the last variable, the cells, whose data follow the header
	size       uint64 // in bytes, without padding
}

// dimension is an axis of arrays.
type dimension struct {
	name   string
	length int
}

// netcdf has the header of a file of cells, and the data of all other variables: generation (its number), universe (its
// number), seed (as text, because it has 64 bits), and cells, whose axes are universe, generation, z in three
// dimensions, y and x.
func netcdf(at ensemble.Place, t topology.Topology, states int, generations, universes, seeds []uint64) []byte {
	const digits = 20
	dimensions := []dimension{{"universe", len(universes)}, {"generation", len(generations)}, {"digits", digits}}
	axes := []int{0, 1}
	if t.Volume() {
		dimensions = append(dimensions, dimension{"z", t.D})
	}
	dimensions = append(dimensions, dimension{"y", t.LayerRows()}, dimension{"x", t.W})
	cells := uint64(len(universes)) * uint64(len(generations))
	for i := 3; i < len(dimensions); i++ {
		axes, cells = append(axes, i), cells*uint64(dimensions[i].length)
	}
	var texts []byte
	for _, seed := range seeds {
		texts = fmt.Appendf(texts, "%-*d", digits, seed)
	}
	about := []attribute{{"long_name", "state of the cell"}, {"valid_max", float64(states - 1)}}
	if states > math.MaxInt8+1 {
		about = []attribute{{"long_name", "state of the cell"}, {"_Unsigned", "true"}}
	}
	return header64(dimensions, []attribute{
		{"rule", at.Rule}, {"topology", at.Topology}, {"start", at.Start}, {"start_density", at.StartDensity},
	}, []variable{
		{
			name: "universe", dimensions: []int{0}, kind: ncDouble, data: doubles(universes),
			attributes: []attribute{{"long_name", "number of the universe"}},
		},
		{
			name: "generation", dimensions: []int{1}, kind: ncDouble, data: doubles(generations),
			attributes: []attribute{{"long_name", "generation"}},
		},
		{
			name: "seed", dimensions: []int{0, 2}, kind: ncChar, data: texts,
			attributes: []attribute{{"long_name", "seed of the universe"}},
		},
		{name: "cells", dimensions: axes, kind: ncByte, attributes: about, size: cells},
	})
}

// doubles are whole numbers as floating-point ones: the format has none of more than 32 bits.
func doubles(numbers []uint64) (bytes []byte) {
	for _, n := range numbers {
		bytes = binary.BigEndian.AppendUint64(bytes, math.Float64bits(float64(n)))
	}
	return bytes
}

// header64 has the header of a file, and the data of all variables but the last:
//
//	"CDF", 2          the version with offsets of 64 bits
//	0                 the number of records: there are none
//	dimensions        name and length of each
//	attributes        of the file: name, type and value of each
//	variables         name, dimensions, attributes, type, size and offset of the data of each
//	data              of each variable but the last
//
// The offsets depend on the length of the header, so it is made twice.
func header64(dimensions []dimension, about []attribute, variables []variable) []byte {
	be := binary.BigEndian
	put := func(dst []byte, numbers ...int) []byte {
		for _, n := range numbers {
			dst = be.AppendUint32(dst, uint32(n))
		}
		return dst
	}
	name := func(dst []byte, text string) []byte { return padded(append(put(dst, len(text)), text...)) }
	attributes := func(dst []byte, all []attribute) []byte {
		dst = put(dst, ncAttributes, len(all))
		for _, a := range all {
			dst = name(dst, a.name)
			switch value := a.value.(type) {
			case string:
				dst = padded(append(put(dst, ncChar, len(value)), value...))
			case float64:
				dst = be.AppendUint64(put(dst, ncDouble, 1), math.Float64bits(value))
			}
		}
		return dst
	}
	head := func(begin uint64) []byte { // of the first variable's data
		dst := put([]byte("CDF\x02"), 0, ncDimensions, len(dimensions))
		for _, d := range dimensions {
			dst = put(name(dst, d.name), d.length)
		}
		dst = put(attributes(dst, about), ncVariables, len(variables))
		for _, v := range variables {
			dst = put(name(dst, v.name), len(v.dimensions))
			dst = attributes(put(dst, v.dimensions...), v.attributes)
			size := max(v.size, uint64(len(v.data)))
			size += -size & 3
			dst = be.AppendUint32(be.AppendUint32(dst, v.kind), uint32(min(size, math.MaxUint32)))
			dst = be.AppendUint64(dst, begin)
			begin += size
		}
		return dst
	}
	dst := head(uint64(len(head(0))))
	for _, v := range variables {
		dst = padded(append(dst, v.data...))
	}
	return dst
}

// padded appends zeros up to a multiple of four bytes.
func padded(dst []byte) []byte { return slices.Concat(dst, make([]byte, -len(dst)&3)) }
