package rulefile

import (
	"strconv"
	"strings"
)

// Icons are pictures of states, all of one size.
type Icons struct {
	Side    int        // of a picture, in pixels
	Palette [][4]uint8 // red, green, blue and opacity; black is transparent
	Pixels  [][]uint8  // by state from 1, row by row: numbers in Palette
}

// shapes are the icons that Golly has by name.
var shapes = map[string]bool{"circles": true, "diamonds": true, "hexagons": true, "triangles": true}

// icons reads pictures in XPM format, one set after the other, or the name of a shape. Like Golly's names and
// colours they change nothing about the rule, so what cannot be read is left out.
func (f *File) icons(body text) {
	var rows []string
	flush := func() {
		if set, ok := parseIcons(rows); ok {
			f.Icons = append(f.Icons, set)
		}
		rows = nil
	}
	for l := range body.lines() {
		row := strings.TrimSpace(l.text)
		switch {
		case row == "XPM":
			flush()
		case shapes[row]:
			f.Shape = row
		case len(row) >= 2 && row[0] == '"':
			if end := strings.IndexByte(row[1:], '"'); end >= 0 {
				rows = append(rows, row[1:1+end])
			}
		}
	}
	flush()
}

// parseIcons reads the strings of an XPM: width, height, colours and letters of a pixel; a line for each
// colour; and the rows of all pictures, one below the other.
func parseIcons(rows []string) (set Icons, ok bool) {
	if len(rows) == 0 {
		return set, false
	}
	head := strings.Fields(rows[0])
	if len(head) != 4 {
		return set, false
	}
	var n [4]int
	for i, field := range head {
		var err error
		if n[i], err = strconv.Atoi(field); err != nil || n[i] < 1 {
			return set, false
		}
	}
	width, height, colours, letters := n[0], n[1], n[2], n[3]
	const most, mostStates = 256, 255
	if width > most || height%width != 0 || height/width > mostStates || colours > most || letters > 2 ||
		len(rows) < 1+colours+height {
		return set, false
	}
	set.Side = width
	number := map[string]uint8{}
	for i, row := range rows[1 : 1+colours] {
		if len(row) < letters {
			return set, false
		}
		colour, ok := parseColour(row[letters:])
		if !ok {
			return set, false
		}
		number[row[:letters]] = uint8(i)
		set.Palette = append(set.Palette, colour)
	}
	for start := 0; start < height; start += width {
		pixels := make([]uint8, 0, width*width)
		for _, row := range rows[1+colours+start:][:width] {
			if len(row) < width*letters {
				return set, false
			}
			for x := range width {
				k, ok := number[row[x*letters:][:letters]]
				if !ok {
					return set, false
				}
				pixels = append(pixels, k)
			}
		}
		set.Pixels = append(set.Pixels, pixels)
	}
	return set, true
}

// parseColour reads " c #RRGGBB", or 16 bits for each.
func parseColour(text string) (colour [4]uint8, ok bool) {
	fields := strings.Fields(text)
	if len(fields) != 2 || fields[0] != "c" || len(fields[1]) != 7 && len(fields[1]) != 13 || fields[1][0] != '#' {
		return colour, false
	}
	digits := (len(fields[1]) - 1) / 3
	for i := range 3 {
		v, err := strconv.ParseUint(fields[1][1+digits*i:][:2], 16, 8)
		if err != nil {
			return colour, false
		}
		colour[i] = uint8(v)
		if v != 0 {
			colour[3] = 0xff
		}
	}
	return colour, true
}
