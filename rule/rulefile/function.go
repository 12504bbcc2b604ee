//go:build !page

package rulefile

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
)

// function reads @FUNCTION, a section of Gosper's own: a table over any neighbourhood (local.Wide).
//
//	n_states:3
//	neighborhood:M2          a letter of larger than Life and a radius; in three dimensions 3DM2
//	neighborhood:(-1,0) (1,0)    or the columns and rows of the cells
//	inputs:counts            or states
//	outcome:2147483648 1 4294967296 0    state 1 below that number of 2^-32, else state 0: result n_states of the table
//	table:eJw…               the entries, a byte each: zlib, then base64, also on the lines that follow
//
// The neighbours of a letter, and of a list, are ordered row by row, those of a volume layer by layer.
func (f *File) function(body text) error {
	w := &local.Wide{}
	var hood neighbourhood.Set
	var table strings.Builder
	inTable := false
	for l := range body.lines() {
		line := strings.TrimSpace(l.text)
		if line == "" || line[0] == '#' {
			continue
		}
		if inTable {
			table.WriteString(line)
			continue
		}
		keyword, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		var err error
		switch keyword {
		case "n_states":
			if w.States, err = strconv.Atoi(value); err != nil || w.States < 2 || w.States > 256 {
				err = fmt.Errorf("n_states is %q: 2 to 256 is allowed", value)
			}
		case "neighborhood":
			hood, err = functionCells(value)
		case "inputs":
			if w.Counting = value == "counts"; !w.Counting && value != "states" {
				err = fmt.Errorf("inputs are %q: states and counts are allowed", value)
			}
		case "outcome":
			var o local.Outcome
			o, err = outcome(strings.Fields(value))
			w.Outcomes = append(w.Outcomes, o)
		case "table":
			inTable = true
			table.WriteString(value)
		default:
			err = fmt.Errorf("%q: n_states, neighborhood, inputs, outcome and table are allowed", keyword)
		}
		if err != nil {
			return l.fail("%w", err)
		}
	}
	if w.States == 0 || hood.Radius == 0 || !inTable {
		return errors.New("the function lacks n_states, neighborhood or table")
	}
	for _, o := range hood.Offsets() {
		w.Near = append(w.Near, local.Place{DX: o.DX, DY: o.DY, DZ: o.DZ})
	}
	var err error
	if w.Next, err = unpacked(table.String()); err != nil {
		return fmt.Errorf("the function: the table: %w", err)
	}
	if f.Function, err = w.Function(); err != nil {
		return fmt.Errorf("the function: %w", err)
	}
	f.Neighbourhood = hood
	return nil
}

// Of returns the file of a table over the cells of a neighbourhood, in the order of its offsets.
func Of(name string, n neighbourhood.Set, w *local.Wide) (*File, error) {
	if n.Radius > mostFunctionRadius || n.Triangles {
		return nil, fmt.Errorf("squares within radius 1 to %d are allowed", mostFunctionRadius)
	}
	var b strings.Builder
	cells := fmt.Sprintf("%c%d", n.Letter, n.Radius)
	if n.Volume {
		cells = "3D" + cells
	} else if n.Letter == '@' {
		var places []string
		for _, o := range n.Offsets() {
			places = append(places, fmt.Sprintf("(%d,%d)", o.DX, o.DY))
		}
		cells = strings.Join(places, " ")
	}
	inputs := "states"
	if w.Counting {
		inputs = "counts"
	}
	fmt.Fprintf(&b, "@RULE %s\n\n@FUNCTION\nn_states:%d\nneighborhood:%s\ninputs:%s\n", name, w.States, cells, inputs)
	for _, o := range w.Outcomes {
		b.WriteString("outcome:")
		for _, share := range o {
			fmt.Fprintf(&b, " %d %d", share.Below, share.State)
		}
		b.WriteByte('\n')
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(w.Next) // a buffer takes everything
	z.Close()
	fmt.Fprintf(&b, "table:%s\n", base64.StdEncoding.EncodeToString(packed.Bytes()))
	return Limits{}.Parse(name+".rule", []byte(b.String()))
}

// mostBytes is more than any table has.
const mostBytes = 1 << 25

// unpacked returns the entries of a table.
func unpacked(text string) ([]uint8, error) {
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	entries, err := io.ReadAll(io.LimitReader(z, mostBytes+1))
	if err == nil && len(entries) > mostBytes {
		err = fmt.Errorf("more than %d entries", mostBytes)
	}
	return entries, err
}

// outcome reads pairs of a number of 2^-32 and a state.
func outcome(words []string) (o local.Outcome, err error) {
	if len(words)%2 == 1 {
		return nil, errors.New("an outcome has pairs of a number and a state")
	}
	for i := 0; i < len(words); i += 2 {
		below, err := strconv.ParseUint(words[i], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no number of 2^-32", words[i])
		}
		state, err := strconv.ParseUint(words[i+1], 10, 8)
		if err != nil {
			return nil, fmt.Errorf("%q is no state", words[i+1])
		}
		o = append(o, struct {
			Below uint64
			State uint8
		}{below, uint8(state)})
	}
	return o, nil
}

// mostFunctionRadius is the greatest radius of a function.
const mostFunctionRadius = 16

// functionCells reads a neighbourhood: 3DM1, N2, or (-1,0) (1,0).
func functionCells(value string) (neighbourhood.Set, error) {
	if strings.HasPrefix(value, "(") {
		return cellsOf(strings.Fields(value))
	}
	letters, volume := strings.CutPrefix(value, "3D")
	if letters == "" {
		return neighbourhood.Set{}, fmt.Errorf("%q: a letter and a radius, or cells like (-1,0) are allowed", value)
	}
	radius, err := strconv.Atoi(letters[1:])
	if err != nil || radius < 1 || radius > mostFunctionRadius {
		return neighbourhood.Set{}, fmt.Errorf("radius %q: 1 to %d is allowed", letters[1:], mostFunctionRadius)
	}
	if volume {
		if !strings.Contains("MN2", letters[:1]) && (radius > 1 || !strings.Contains("CEH", letters[:1])) {
			return neighbourhood.Set{}, fmt.Errorf("%q: in three dimensions M, N and 2, and C, E and H of radius 1 are allowed",
				value)
		}
		return neighbourhood.Set{Letter: letters[0], Radius: radius, Volume: true}, nil
	}
	if strings.Contains("GL@W", letters[:1]) {
		return neighbourhood.Set{}, fmt.Errorf("%q: neighbours have no weights and cells are squares here", value)
	}
	return neighbourhood.New(letters[0], radius)
}

// cellsOf is the neighbourhood of some cells.
func cellsOf(words []string) (neighbourhood.Set, error) {
	type place struct{ dx, dy int }
	var places []place
	radius := 1
	for _, word := range words {
		x, y, _ := strings.Cut(strings.Trim(word, "()"), ",")
		dx, err := strconv.Atoi(x)
		dy, err2 := strconv.Atoi(y)
		far := max(dx, -dx, dy, -dy)
		if err != nil || err2 != nil || far == 0 || far > mostFunctionRadius {
			return neighbourhood.Set{}, fmt.Errorf(
				"cell %q: a column and a row like (-1,0), at most %d away and not the cell itself, are allowed", word,
				mostFunctionRadius)
		}
		places, radius = append(places, place{dx, dy}), max(radius, far)
	}
	side := 2*radius + 1
	cells := make([]bool, side*side)
	for _, p := range places {
		at := &cells[(p.dy+radius)*side+p.dx+radius]
		if *at {
			return neighbourhood.Set{}, fmt.Errorf("cell (%d,%d) is there twice", p.dx, p.dy)
		}
		*at = true
	}
	return neighbourhood.NewCustom(radius, cells)
}
