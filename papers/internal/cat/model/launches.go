package model

import (
	"github.com/gosper-life/gosper/papers/internal/cat"
)

// Work has the costs of a cell in a generation of a method.
type Work struct {
	Share    float64 // of the cells that are computed, those that are written
	Bytes    float64 // to and from global memory, at least
	Products float64 // of the tensor cores, of 16×8 results: m16n8k16 in FP16, m16n8k32 in INT8
}

// Temporal is the work of CAT-TEMPORAL at t generations a launch, which reads and writes a byte for each cell. The
// cache serves cells that tiles read a second time. A generation of a tile takes two products for 16×8 cells up to
// radius 8, and four beyond.
//
//	share s = (128 − 2·8⌈tr/8⌉)·(64 − 2tr) / (128·64)      bytes 2/t      products 2/(128·s), 4/(128·s)
func Temporal(radius, generations int) Work {
	share := cat.WrittenShare(radius, generations)
	products := 2.0
	if radius > 8 {
		products = 4
	}
	return Work{share, 2 / float64(generations), products / (16 * 8 * share)}
}

// The work of the methods of one generation a launch up to radius 16. CAT reads and writes two bytes, and computes six
// products of 16×16×16 for 256 cells, two m16n8k16 each. CAT-INT8 reads and writes a byte, and computes 48 products for
// 32×32 cells.
var (
	WorkOfCAT  = Work{1, 4, 12. / 256}
	WorkOfInt8 = Work{1, 2, 48. / 1024}
)

// Roofline describes a machine by two rates a second. The rate that is used up first is the limit.
type Roofline struct {
	Bytes    float64 // of global memory
	Products float64 // of 16×8 results
}

// H100 has the rates of an H100 SXM: of its memory by its data sheet, of products as measured (docs/papers/data).
var H100 = Roofline{Bytes: 3.35e12, Products: 1.59e11}

// Limits returns the cells a second that memory and products allow.
func (m Roofline) Limits(w Work) (memory, products float64) {
	return m.Bytes / w.Bytes, m.Products / w.Products
}

// Speed returns the lower of the two.
func (m Roofline) Speed(w Work) float64 { return min(m.Limits(w)) }
