package census

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/sim/cpu/sparse"
	"github.com/gosper-life/gosper/topology"
)

// An apgcode names an object. After a prefix it has the extended Wechsler format of one phase in one orientation:
//
//	xs4_33          a still life of 4 cells
//	xp2_7           an oscillator of period 2
//	xq4_153         a spaceship of period 4
//	ov_p60          an oscillator of period 60 whose phases are all too large to write
//	yl144_1_16_…    linear growth; see linearGrowth
//	PATHOLOGICAL    none of these within the limits
//
// The format divides a pattern into strips of five rows. Each column of a strip is a number whose lowest bit is the uppermost row, written as a digit
// 0–9 or a–v. Dead columns at the end of a strip are left out. w means two dead columns, x three, y with a digit four to 39, and z ends a strip. The
// code uses the shortest text of all phases and orientations, and of these the first in alphabetical order.

// Pathological is the code of a pattern that grows or moves in no known way.
const Pathological = "PATHOLOGICAL"

const (
	digits     = "0123456789abcdefghijklmnopqrstuvwxyz"
	stripRows  = 5
	mostArea   = 10000 // cells of a phase with a rim of dead cells; larger phases are not written
	mostDigits = 1280
)

// encode writes a phase in the extended Wechsler format. It returns "" if the phase is too large.
func encode(cells []Cell) string {
	box := boxOf(cells)
	if (box.W+2)*(box.H+2) > mostArea {
		return ""
	}
	strips := make([][]byte, (box.H+stripRows-1)/stripRows)
	for i := range strips {
		strips[i] = make([]byte, box.W)
	}
	for _, c := range cells {
		x, y := c.X-box.X, c.Y-box.Y
		strips[y/stripRows][x] |= 1 << (y % stripRows)
	}
	var text []byte
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
	if len(text) > mostDigits {
		return ""
	}
	return string(text)
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

// canonical returns the text of an object from all its phases, "" if none is small enough. Under a rule that distinguishes directions, only the
// orientations that the rule's symmetries allow count as equal.
func canonical(phases [][]Cell, symmetries []topology.Symmetry) string {
	best := ""
	for _, phase := range phases {
		for _, s := range symmetries {
			text := encode(turned(phase, s))
			if text != "" && (best == "" || len(text) < len(best) || len(text) == len(best) && text < best) {
				best = text
			}
		}
	}
	return best
}

func turned(cells []Cell, s topology.Symmetry) []Cell {
	out := make([]Cell, len(cells))
	for i, c := range cells {
		out[i].X, out[i].Y = s.Apply(c.X, c.Y)
	}
	return out
}

// Code is a parsed apgcode that contains a phase.
type Code struct {
	Kind   Kind
	Number int    // cells of a still life, or the period of other objects
	Cells  []Cell // of the phase in the code, row by row, with its bounding box at (0, 0)
}

// ParseCode reads the apgcode of a still life, an oscillator or a spaceship that contains a phase. It accepts only codes that an encoder may write:
// the shortest text for the phase, in any orientation.
func ParseCode(code string) (Code, error) {
	bad := func(why string, args ...any) (Code, error) {
		return Code{}, fmt.Errorf("apgcode %q: %s", code, fmt.Sprintf(why, args...))
	}
	head, text, ok := strings.Cut(code, "_")
	kind := Kind(0)
	for k, prefix := range kindPrefixes {
		if strings.HasPrefix(head, prefix) && prefix != "" {
			kind = Kind(k)
		}
	}
	if !ok || kind == 0 || kind > Spaceship {
		return bad("want xs, xp or xq with a number, an underscore and a phase")
	}
	number := head[2:]
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || strconv.Itoa(n) != number {
		return bad("%q is not a number", number)
	}
	cells, err := decode(text)
	switch {
	case err != nil:
		return bad("%v", err)
	case kind == StillLife && n != len(cells):
		return bad("the still life has %d cells", len(cells))
	case kind == Oscillator && n < 2 || kind == Spaceship && n < 1:
		return bad("the period must be %d or more", map[Kind]int{Oscillator: 2, Spaceship: 1}[kind])
	}
	return Code{kind, n, cells}, nil
}

// decode reads the extended Wechsler format.
func decode(text string) ([]Cell, error) {
	if text == "" {
		return nil, errors.New("no digits")
	}
	if len(text) > mostDigits {
		return nil, fmt.Errorf("a phase of %d digits: want at most %d", len(text), mostDigits)
	}
	var cells []Cell
	x, y := 0, 0
	for i := 0; i < len(text); i++ {
		value := strings.IndexByte(digits, text[i])
		switch {
		case value < 0:
			return nil, fmt.Errorf("%q is not a digit", text[i])
		case value < 32:
			for row := range stripRows {
				if value>>row&1 != 0 {
					cells = append(cells, Cell{X: x, Y: y + row})
				}
			}
			x++
		case text[i] == 'w':
			x += 2
		case text[i] == 'x':
			x += 3
		case text[i] == 'y':
			if i++; i == len(text) {
				return nil, fmt.Errorf("a y without a digit after it")
			}
			n := strings.IndexByte(digits, text[i])
			if n < 0 {
				return nil, fmt.Errorf("%q is not a digit", text[i])
			}
			x += 4 + n
		default:
			x, y = 0, y+stripRows
		}
	}
	slices.SortFunc(cells, sparse.ByRow)
	if len(cells) == 0 && text != "" && text != "0" || encode(cells) != text && len(cells) > 0 {
		return nil, fmt.Errorf("the phase %q can be written shorter or begins with dead rows or columns", text)
	}
	return cells, nil
}
