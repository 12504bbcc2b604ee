package census

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/sim/cpu/sparse"
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
// code uses the shortest text of all phases and orientations, and of these the first in alphabetical order. Hexagons have 12 orientations, under which
// rows and columns become diagonals.
//
// Under Generations of C states a phase has several texts with underscores between them, one for each bit of a cell: bit 0 of live cells is 1, bit 1 of
// dying ones, whose other bits are the number of generations in which they will still be dying after this one: C−1−n for state n. A text
// without cells is 0, and left out if all after it are. Strips begin at the top of the whole phase, and none is written after the last one with cells.
//
//	xq1_03_3        two live cells that two dying ones follow: a spaceship of Brian's Brain
//
// This is as in Catagolue and apgsearch, for which the source of Adam P. Goucher's lifelib has it (gitlab.com/apgoucher/lifelib: GenerationsMapper in
// sanirule.h, canonise_orientation and wechslerhex in bitworld.h, phase_wechsler and apgcode in pattern2.h).

// Pathological is the code of a pattern that grows or moves in no known way.
const Pathological = "PATHOLOGICAL"

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

// encode writes a phase in the extended Wechsler format. It returns "" if the phase is too large.
func encode(cells []Cell, states int) string {
	box := boxOf(cells)
	if (box.W+2)*(box.H+2) > mostArea {
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

// canonical returns the text of an object from all its phases, "" if none is small enough. Under a rule that distinguishes directions, only the
// orientations that the rule's symmetries allow count as equal.
func canonical(phases [][]Cell, symmetries []symmetry, states int) string {
	best := ""
	for _, phase := range phases {
		for _, s := range symmetries {
			text := encode(turned(phase, s), states)
			if text != "" && (best == "" || len(text) < len(best) || len(text) == len(best) && text < best) {
				best = text
			}
		}
	}
	return best
}

func turned(cells []Cell, s symmetry) []Cell {
	out := make([]Cell, len(cells))
	for i, c := range cells {
		out[i].X, out[i].Y = s.apply(c.X, c.Y)
		out[i].Age = c.Age
	}
	return out
}

// Code is a parsed apgcode that contains a phase.
type Code struct {
	Kind   Kind
	Number int    // cells of a still life, or the period of other objects
	Cells  []Cell // of the phase in the code, row by row, with its bounding box at (0, 0)
}

// ParseCode reads the apgcode of a still life, an oscillator or a spaceship that contains a phase, of a rule with a number of states: 2, or more for
// Generations. It accepts only codes that an encoder may write: the shortest text for the phase, in any orientation.
func ParseCode(code string, states int) (Code, error) {
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
	cells, err := decode(text, states)
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
func decode(text string, states int) ([]Cell, error) {
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
			return nil, fmt.Errorf("%d texts for each phase: a rule of %d states has at most %d", strings.Count(text, "_")+1, states, most)
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
	slices.SortFunc(cells, sparse.ByRow)
	if len(cells) == 0 && text != "0" || len(cells) > 0 && encode(cells, states) != text {
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
