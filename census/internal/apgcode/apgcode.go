// Package apgcode writes phases of objects in the extended Wechsler format, which comes after the prefix of an
// apgcode, and knows the orientations in which an object is the same.
//
// The format divides a pattern into strips of five rows. Each column of a strip is a number whose lowest bit is
// the uppermost row, written as a digit 0–9 or a–v. Dead columns at the end of a strip are left out. w means
// two dead columns, x three, y with a digit four to 39, and z ends a strip. The code uses the shortest text of
// all phases and orientations, and of these the first in alphabetical order. Hexagons have 12 orientations,
// under which rows and columns become diagonals.
//
// Under Generations of C states a phase has several texts with underscores between them, one for each bit of a cell.
// Bit 0 is 1 for live cells. Bit 1 is 1 for dying cells. The other bits of a dying cell count the generations in
// which it will still be dying after this one: C−1−n for state n. A text without cells is 0, and left out if all
// after it are. Strips begin at the top of the whole phase, and none is written after the last one with cells.
//
//	xq1_03_3        two live cells that two dying ones follow: a spaceship of Brian's Brain
//
// This is as in Catagolue and apgsearch, for which the source of Adam P. Goucher's lifelib has it
// (gitlab.com/apgoucher/lifelib: GenerationsMapper in sanirule.h, canonise_orientation and wechslerhex in
// bitworld.h, phase_wechsler and apgcode in pattern2.h).
package apgcode

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Cell is a cell of a phase.
type Cell = sparse.Cell

const (
	digits     = "0123456789abcdefghijklmnopqrstuvwxyz"
	stripRows  = 5
	mostArea   = 10000 // cells of a phase with a rim of dead cells; larger phases are not written
	mostDigits = 1280  // and underscores
)

// bitsOf returns the bits of a cell in the texts of a phase.
func bitsOf(age uint8, states int) int {
	if age == 0 {
		return 1
	}
	return (states-1-int(age))*4 - 2
}

// ageOf undoes bitsOf. ok is false if no state has these bits as its value.
func ageOf(value, states int) (age uint8, ok bool) {
	if value == 1 {
		return 0, true
	}
	state := states - (value+2)/4
	return uint8(state - 1), value&3 == 2 && state >= 2
}

// Fits reports whether a phase whose cells have a box is small enough to be written.
func Fits(box grid.Rect) bool { return (box.W+2)*(box.H+2) <= mostArea }

// Encode writes a phase in the extended Wechsler format. It returns "" if the phase is too large.
func Encode(cells []Cell, states int) string {
	box := BoxOf(cells)
	if !Fits(box) {
		return ""
	}
	used := 1
	for _, c := range cells {
		used |= bitsOf(c.Age, states)
	}
	var text []byte
	for bit := range bits.Len(uint(used)) {
		strips := make([][]byte, (box.H+stripRows-1)/stripRows)
		for i := range strips {
			strips[i] = make([]byte, box.W)
		}
		for _, c := range cells {
			if x, y := c.X-box.X, c.Y-box.Y; bitsOf(c.Age, states)>>bit&1 != 0 {
				strips[y/stripRows][x] |= 1 << (y % stripRows)
			}
		}
		if bit > 0 {
			text = append(text, '_')
		}
		text = appendStrips(text, strips)
	}
	if len(text) > mostDigits {
		return ""
	}
	return string(text)
}

// appendStrips writes one bit of all cells.
func appendStrips(text []byte, strips [][]byte) []byte {
	begin := len(text)
	for i, strip := range strips {
		if i > 0 {
			text = append(text, 'z')
		}
		zeros := 0
		for _, column := range strip {
			if column == 0 {
				zeros++
				continue
			}
			text = append(appendZeros(text, zeros), digits[column])
			zeros = 0
		}
	}
	for len(text) > begin && text[len(text)-1] == 'z' {
		text = text[:len(text)-1]
	}
	if len(text) == begin {
		text = append(text, '0')
	}
	return text
}

// appendZeros writes n dead columns.
func appendZeros(text []byte, n int) []byte {
	const most = 39
	for ; n > most; n -= most {
		text = append(text, 'y', digits[most-4])
	}
	switch n {
	case 0:
		return text
	case 1:
		return append(text, '0')
	case 2:
		return append(text, 'w')
	case 3:
		return append(text, 'x')
	}
	return append(text, 'y', digits[n-4])
}

// Canonical returns the text of an object from all its phases, "" if none is small enough. Under a rule that
// distinguishes directions, only the orientations that the rule's symmetries allow count as equal.
func Canonical(phases [][]Cell, symmetries []Symmetry, states int) string {
	best := ""
	for _, phase := range phases {
		for _, s := range symmetries {
			text := Encode(Turned(phase, s), states)
			if text != "" && (best == "" || len(text) < len(best) || len(text) == len(best) && text < best) {
				best = text
			}
		}
	}
	return best
}

// Turned returns cells in another orientation.
func Turned(cells []Cell, s Symmetry) []Cell {
	out := make([]Cell, len(cells))
	for i, c := range cells {
		out[i].X, out[i].Y = s.Apply(c.X, c.Y)
		out[i].Age = c.Age
	}
	return out
}

// Decode reads the extended Wechsler format.
func Decode(text string, states int) ([]Cell, error) {
	if text == "" {
		return nil, errors.New("no digits")
	}
	if len(text) > mostDigits {
		return nil, fmt.Errorf("a phase of %d digits: want at most %d", len(text), mostDigits)
	}
	most := bits.Len(uint(max(1, bitsOf(1, states))))
	values := map[Cell]int{}
	for bit, part := range strings.Split(text, "_") {
		if bit == most {
			return nil, fmt.Errorf("%d texts for each phase: a rule of %d states has at most %d", strings.Count(text, "_")+1,
				states, most)
		}
		if err := decodeBit(part, bit, values); err != nil {
			return nil, err
		}
	}
	var cells []Cell
	for c, value := range values {
		var ok bool
		if c.Age, ok = ageOf(value, states); !ok {
			return nil, fmt.Errorf("a cell in a state that a rule of %d states does not have", states)
		}
		cells = append(cells, c)
	}
	slices.SortStableFunc(cells, sparse.ByRow)
	if len(cells) == 0 && text != "0" || len(cells) > 0 && Encode(cells, states) != text {
		return nil, fmt.Errorf("the phase %q can be written shorter or begins with dead rows or columns", text)
	}
	return cells, nil
}

// decodeBit reads one bit of all cells, and adds it to their values.
func decodeBit(text string, bit int, values map[Cell]int) error {
	x, y := 0, 0
	for i := 0; i < len(text); i++ {
		value := strings.IndexByte(digits, text[i])
		switch {
		case value < 0:
			return fmt.Errorf("%q is not a digit", text[i])
		case value < 32:
			for row := range stripRows {
				if value>>row&1 != 0 {
					values[Cell{X: x, Y: y + row}] |= 1 << bit
				}
			}
			x++
		case text[i] == 'w':
			x += 2
		case text[i] == 'x':
			x += 3
		case text[i] == 'y':
			if i++; i == len(text) {
				return errors.New("a y without a digit after it")
			}
			n := strings.IndexByte(digits, text[i])
			if n < 0 {
				return fmt.Errorf("%q is not a digit", text[i])
			}
			x += 4 + n
		default:
			x, y = 0, y+stripRows
		}
	}
	return nil
}

// BoxOf is the bounding box of cells.
func BoxOf(cells []Cell) grid.Rect {
	if len(cells) == 0 {
		return grid.Rect{}
	}
	lo, hi := cells[0], cells[0]
	for _, c := range cells {
		lo.X, lo.Y = min(lo.X, c.X), min(lo.Y, c.Y)
		hi.X, hi.Y = max(hi.X, c.X), max(hi.Y, c.Y)
	}
	return grid.Rect{X: lo.X, Y: lo.Y, W: hi.X - lo.X + 1, H: hi.Y - lo.Y + 1}
}
