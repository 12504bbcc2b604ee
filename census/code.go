package census

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/census/internal/apgcode"
)

// An apgcode names an object. After a prefix it has the extended Wechsler format of one phase in one orientation:
//
//	xs4_33          a still life of 4 cells
//	xp2_7           an oscillator of period 2
//	xq4_153         a spaceship of period 4
//	ov_p60          an oscillator of period 60 whose phases are all too large to write
//	yl144_1_16_…    linear growth; see package growth
//	PATHOLOGICAL    none of these within the limits
//
// The format of phases is that of package apgcode.

// Pathological is the code of a pattern that grows or moves in a way that the census does not know.
const Pathological = "PATHOLOGICAL"

// Code is a parsed apgcode that contains a phase.
type Code struct {
	Kind   Kind
	Number int    // cells of a still life, or the period of other objects
	Cells  []Cell // of the phase in the code, row by row, with its bounding box at (0, 0)
}

// IsClass reports whether a text is what an apgcode has before its first underscore, the class of an object: xs4, xp15,
// xq4, yl144, ov or zz.
func IsClass(text string) bool {
	if text == "ov" || text == "zz" {
		return true
	}
	return len(text) > 2 && slices.Contains([]string{"xs", "xp", "xq", "yl"}, text[:2]) &&
		strings.Trim(text[2:], "0123456789") == ""
}

// ParseCode reads the apgcode of a still life, an oscillator or a spaceship that contains a phase, of a rule
// with a number of states: 2, or more for Generations. It accepts only codes that an encoder may write: the
// shortest text for the phase, in any orientation.
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
	cells, err := apgcode.Decode(text, states)
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
