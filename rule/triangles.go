package rule

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/topology"
)

// Triangles lie in rows and point up and down in turn. They are stored in a square grid: the cell in column x
// and row y points down where x+y is even. Its base is above then, so it has an edge in common with the cells
// above, to the left and to the right.

// triangular are LifeViewer's seven neighbourhoods (Chris Rowett; LifeWiki's page "Triangular neighbourhood").
var triangular = []struct {
	suffix string // upper case
	hood   Neighbourhood
}{
	{"L", triangularHood("NL", 1)},       // all 12 that have a corner in common
	{"LE", triangularHood("58L", 1)},     // edges: 3
	{"LV", triangularHood("06E5C0L", 2)}, // vertices: the 9 others
	{"LI", triangularHood("055880L", 2)}, // inner: 6, edges and radiation
	{"LO", triangularHood("02A540L", 2)}, // outer: the 6 others
	{"LB", triangularHood("03BD40L", 2)}, // biohazard: 9, edges and outer
	{"LR", triangularHood("044080L", 2)}, // radiation: 3, each opposite at a corner
}

// triangularHood reads NL, or the cells of N@.
func triangularHood(text string, radius int) Neighbourhood {
	if text == "NL" {
		n, _ := NewNeighbourhood('L', radius)
		return n
	}
	n, _ := (&scanner{input: text, end: len(text)}).customCells(radius)
	return n
}

// trianglesOf is the neighbourhood that the letters at the end of a rule name, and how many letters they are;
// nil where they name none.
func trianglesOf(text string) (hood *Neighbourhood, letters int) {
	for i, t := range triangular {
		n := len(t.suffix)
		if len(text) >= n && strings.EqualFold(text[len(text)-n:], t.suffix) {
			return &triangular[i].hood, n
		}
	}
	return nil, 0
}

// trianglesSuffix returns the letters that name the neighbourhood, or "" for the default.
func trianglesSuffix(n Neighbourhood) string {
	for _, t := range triangular {
		if n.Triangles && n.Equal(t.hood) {
			return t.suffix
		}
	}
	return ""
}

// ofTriangles reads the counts of a rule of triangles.
func (s *scanner) ofTriangles(hood Neighbourhood, states int, birth, survival section) (r Rule, err error) {
	r = Rule{Family: OuterTotalistic, States: states, Neighbourhood: hood}
	if r.Birth, err = s.trianglesCounts(birth, hood); err == nil {
		r.Survival, err = s.trianglesCounts(survival, hood)
	}
	return r, err
}

// trianglesNumerals are the counts from 0. LifeViewer has X, Y, Z for 10, 11, 12.
const trianglesNumerals = "0123456789XYZ"

// trianglesCounts reads numerals, a character each: 10, 11 and 12 are X, Y and Z.
func (s *scanner) trianglesCounts(sec section, hood Neighbourhood) (Counts, error) {
	var list []int
	for i := sec.from; i < sec.to; i++ {
		switch n := strings.IndexByte(trianglesNumerals, upper(s.input[i])); {
		case n < 0:
			return nil, s.fail(i, "unexpected %q: want counts of triangles, 0 to 9, X, Y and Z (10, 11, 12)", s.input[i])
		case n > hood.Size():
			return nil, s.fail(i, "count %d is above %d, the size of the neighbourhood", n, hood.Size())
		default:
			list = append(list, n)
		}
	}
	return countsOf(list), nil
}

func trianglesDigits(c Counts) string {
	var b strings.Builder
	for n, numeral := range trianglesNumerals {
		if c.Has(n) {
			b.WriteRune(numeral)
		}
	}
	return b.String()
}

// fitTriangles says why triangles cannot be joined across the edges of a topology so that one that points up has one
// that points down beside it.
func fitTriangles(t topology.Topology) error {
	for _, pair := range []topology.Axis{topology.Horizontal, topology.Vertical} {
		across, other := t.H, t.W // from the edge to the one that it is joined to, and along it
		if pair == topology.Vertical {
			across, other = t.W, t.H
		}
		if t.Axis == pair {
			across += t.Shift
		}
		switch t.Join(pair) {
		case topology.Wrap:
			if across%2 != 0 {
				return fmt.Errorf("%v: for triangles, sides that are joined must be even, together with their shift", t)
			}
		case topology.Mirror:
			// Left and right change places, or up and down, so that triangles turn over, too.
			if odd := (across+other)%2 != 0; odd != (pair == topology.Horizontal) {
				return fmt.Errorf("%v: for triangles, width, height and shift together must be %s", t,
					map[bool]string{
						true:  "odd where the top is twisted",
						false: "even where the sides are twisted",
					}[pair == topology.Horizontal])
			}
		case topology.Turn:
			return errors.New("a sphere turns rows into columns, which triangles do not allow")
		}
	}
	return nil
}
