//go:build !page

package synth

import (
	_ "embed"
	"encoding/binary"

	"github.com/gosper-life/gosper/internal/compile/synth/internal/tail"
)

// tails holds a hint for every orbit of outer-totalistic rules, four bytes each, little endian (see tail.Entry).
//
//go:generate go run ./gen table tails.bin
//go:embed tails.bin
var tails string

// hint returns the hint for the tail of an orbit.
func hint(orbit int) tail.Entry {
	return tail.Entry(binary.LittleEndian.Uint32([]byte(tails[4*orbit : 4*orbit+4])))
}
