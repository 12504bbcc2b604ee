package origin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/names"
	"github.com/gosper-life/gosper/internal/shell"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/checkpoint"
	"github.com/gosper-life/gosper/topology"
)

// OpenPattern reads the pattern that a PATTERN argument names: a file, standard input (-), or what Known makes. A file
// has priority over a built-in pattern of the same name.
func OpenPattern(ctx context.Context, name string, o pattern.Options) (*pattern.Pattern, error) {
	p, err := readFile(ctx, name, o)
	switch {
	case err == nil:
		return p, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case checkpoint.Is(name):
		return nil, fmt.Errorf(
			"%s: this is a checkpoint, not a pattern; gosper run --resume %[1]s -g 0 --out FILE converts it", name)
	case !errors.Is(err, fs.ErrNotExist) && isScript(name):
		return nil, fmt.Errorf("%s: this is a script, not a pattern; gosper script %s runs it", name,
			shell.Join([]string{name}))
	case !errors.Is(err, fs.ErrNotExist):
		return nil, atomicfile.PathFirst(err)
	}
	if p, ok, err := Known(name); ok {
		return p, err
	}
	return nil, unknown(name)
}

// isScript reports whether a name is that of a script for Golly.
func isScript(name string) bool {
	return slices.Contains([]string{".lua", ".py"}, strings.ToLower(filepath.Ext(name)))
}

// Known makes a pattern that is known by its name alone. It may be a built-in pattern, or an object by its apgcode,
// followed by a rule if the code is one of Generations (see Under). It may also be a soup of Catagolue by its symmetry
// and its seed, as in C2_1/n_golly1212; a seed alone, as in n_golly1212, is one of C1. A rule may follow the seed.
// Addresses of objects and soups in Catagolue are names, too. ok is false for all other names.
func Known(name string) (p *pattern.Pattern, ok bool, err error) {
	name = withoutAddress(name)
	if famous, ok := builtin.Lookup(name); ok {
		p, err := pattern.Read(strings.NewReader(famous.RLE), famous.Name+".rle")
		return p, true, err
	}
	if p, ok, err := object(name); ok {
		return p, true, err
	}
	return soupOf(name)
}

// withoutAddress is the name of the object or soup at an address in Catagolue. Other names stay as they are.
func withoutAddress(name string) string {
	for _, kind := range []string{"/object/", "/hashsoup/"} {
		if host, rest, ok := strings.Cut(name, kind); ok && strings.Contains(host, "catagolue.") {
			return rest
		}
	}
	return name
}

// isSeed reports whether a name looks like a seed of Catagolue's soups: n_GcpqZ62YqD3310086454.
func isSeed(name string) bool {
	return len(name) > 2 && name[1] == '_' && 'a' <= name[0] && name[0] <= 'z' && isDigit(name[len(name)-1]) &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
		})
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// soupOf returns a soup by its name. ok is false if the name is none of a soup.
func soupOf(name string) (p *pattern.Pattern, ok bool, err error) {
	symmetry, seed, found := strings.Cut(name, "/")
	if !found {
		symmetry, seed = "C1", name
	}
	seed, notation, _ := strings.Cut(seed, "/")
	s, err := census.ParseSymmetry(symmetry)
	switch {
	case found && err != nil && isSeed(seed):
		return nil, true, fmt.Errorf("%s: there is no such file, and no soup: %w", name, err)
	case !found && !isSeed(name), found && err != nil:
		return nil, false, nil
	case seed == "":
		return nil, true, fmt.Errorf("%s: name the soup after the symmetry, as in %s/n_golly1212", name, symmetry)
	case len(seed) > mostSeed:
		return nil, true, fmt.Errorf("a soup's seed of %d characters: want at most %d", len(seed), mostSeed)
	}
	notation, _, edges, err := ruleAfter(name, notation)
	if err != nil {
		return nil, true, err
	}
	if edges != nil {
		notation += edges.Suffix()
	}
	cells, err := grid.NewTiles(1)
	if err != nil {
		return nil, true, err
	}
	for _, c := range census.SoupOf([]byte(seed), s) {
		cells.Set(c.X, c.Y, 1)
	}
	return &pattern.Pattern{
		Cells: cells, Bounds: cells.Bounds(), States: 2, Name: symmetry + "/" + seed, Rule: notation,
		Format: pattern.RLE,
	}, true, nil
}

// ruleAfter reads the rule that may follow the code of an object or the seed of a soup, and the universe that it may
// name. It writes the rule as Golly does: Catagolue's g3b2s is /2/3.
func ruleAfter(name, notation string) (text string, states int, edges *topology.Topology, err error) {
	if notation == "" {
		return "", 2, nil, nil
	}
	r, edges, err := rule.ParseApart(notation)
	if err != nil {
		return "", 0, nil, fmt.Errorf("%s: %w", name, err)
	}
	return r.String(), r.States, edges, nil
}

// mostSeed is the length of the longest seed that is read.
const mostSeed = 200

// Named checks whether a PATTERN argument names something, without reading it.
func Named(name string) error {
	if _, err := os.Stat(name); name == "-" || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, ok, err := Known(name); ok {
		return err
	}
	return unknown(name)
}

// unknown is the error for a name that names nothing. It suggests the nearest name, of a file or of a
// built-in pattern.
func unknown(name string) error {
	near := names.Closest(filepath.Base(name), nearby(name))
	if strings.ContainsFunc(name, unicode.IsControl) {
		name = strconv.Quote(name)
	}
	if near == "" {
		return fmt.Errorf(
			"%s: there is no such file, built-in pattern (gosper patterns lists these), apgcode or soup (as C2_1/n_golly1212)",
			name)
	}
	return fmt.Errorf("%s: there is no such file, built-in pattern, apgcode or soup: did you mean %s?", name,
		shell.Join([]string{near}))
}

// nearby yields names that the user may have meant: those of built-in patterns, and of files in the same folder.
func nearby(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		dir := filepath.Dir(name)
		if dir == "." {
			for n := range builtin.Names() {
				if !yield(n) {
					return
				}
			}
		}
		files, _ := os.ReadDir(dir) // if the folder cannot be read, there are no suggestions
		for _, file := range files {
			if _, _, err := pattern.FormatOf(file.Name()); err == nil && !yield(file.Name()) {
				return
			}
		}
	}
}

// Under names an object of a rule as Catagolue's addresses do: xq1_03_3/g3b2s. In the codes of Generations the
// states follow from the rule. Names that are no apgcodes stay as they are, and so do those that have a rule
// already; ruleText may be empty.
func Under(name, ruleText string) string {
	if ruleText == "" || !isApgcode(name) {
		return name
	}
	if _, err := os.Stat(name); err == nil {
		return name
	}
	return name + "/" + ruleText
}

// isApgcode reports whether a name looks like the code of a still life, an oscillator or a spaceship, without a
// rule: xp15_4r4z4r4.
func isApgcode(name string) bool {
	class, planes, ok := strings.Cut(name, "_")
	if !ok || !census.IsClass(class) || class[0] != 'x' {
		return false
	}
	for plane := range strings.SplitSeq(planes, "_") {
		if plane == "" || strings.Trim(plane, "0123456789abcdefghijklmnopqrstuvwxyz") != "" {
			return false
		}
	}
	return true
}

// isClass reports whether a name looks like an apgcode without cells, of objects that are large or grow:
// ov_p60, yl144_1_16_….
func isClass(name string) bool {
	class, rest, ok := strings.Cut(name, "_")
	return ok && rest != "" && census.IsClass(class) && class[0] != 'x'
}

// object returns the pattern of an apgcode. ok is false if the name is not an apgcode.
func object(name string) (p *pattern.Pattern, ok bool, err error) {
	text, notation, _ := strings.Cut(name, "/")
	switch {
	case isClass(text):
		return nil, true, fmt.Errorf("%s: this apgcode names a class of objects and does not say their cells", name)
	case !isApgcode(text):
		return nil, false, nil
	}
	notation, states, _, err := ruleAfter(name, notation) // the universe of an object is the caller's choice
	if err != nil {
		return nil, true, err
	}
	code, err := census.ParseCode(text, states)
	switch {
	case err != nil && notation == "" && strings.Count(text, "_") > 1:
		return nil, true, fmt.Errorf("%s: the cells of this apgcode depend on the rule: add its name, as in %[1]s/g3b2s",
			name)
	case err != nil && notation == "":
		return nil, true, fmt.Errorf("no file or built-in pattern has this name; %w", err)
	case err != nil:
		return nil, true, err
	}
	cells, err := grid.NewTiles(bits.Len(uint(states - 1)))
	if err != nil {
		return nil, true, err
	}
	for _, c := range code.Cells {
		cells.Set(c.X, c.Y, c.Age+1)
	}
	return &pattern.Pattern{
		Cells: cells, Bounds: cells.Bounds(), States: states, Name: name, Rule: notation,
		Format: pattern.RLE,
	}, true, nil
}

// Corner is the position of cell (0, 0) of a universe in the coordinates of pattern files.
func Corner(t topology.Topology) Point {
	x, y := pattern.Corner(t)
	return Point{x, y}
}

// FilePlace returns the position of cell (0, 0) of a pattern in Golly's coordinates: the one in its file, or the
// middle of the bounded grid that its rule names. known is false if neither is given.
func FilePlace(p *pattern.Pattern) (at Point, known bool) {
	if p.HasPosition {
		return Point{p.X, p.Y}, true
	}
	_, t, err := rule.ParseApart(p.Rule)
	if err != nil || t == nil || !t.Bounded() {
		return Point{}, false
	}
	to, c := Placement(p, *t, nil), Corner(*t)
	return Point{to.X + c.X, to.Y + c.Y}, true
}

// Placement returns the position of cell (0, 0) of a pattern in the universe. It is the requested position of the
// pattern's upper left cell, or else the position where Golly puts the pattern.
func Placement(p *pattern.Pattern, t topology.Topology, at *Point) Point {
	if at == nil {
		x, y := p.Place(t)
		return Point{x, y}
	}
	c := Corner(t)
	return Point{at.X - c.X - p.Bounds.X, at.Y - c.Y - p.Bounds.Y}
}

// outside counts the live cells of a pattern at a place that lie outside the finite sides of t.
func outside(p *grid.Tiles, at Point, t topology.Topology) (uint64, error) {
	inside, err := grid.NewTiles(p.Planes())
	if err != nil {
		return 0, err
	}
	for _, part := range p.OccupiedRows() {
		in := part
		if t.W > 0 {
			in = in.Intersect(grid.Rect{X: -at.X, Y: in.Y, W: t.W, H: in.H})
		}
		if t.H > 0 {
			in = in.Intersect(grid.Rect{X: in.X, Y: -at.Y, W: in.W, H: t.H})
		}
		if !in.Empty() {
			if err := grid.Copy(inside, p, in, in.X, in.Y); err != nil {
				return 0, err
			}
		}
	}
	return p.Population() - inside.Population(), nil
}

// fits reports whether all of box lies within the finite sides of t.
func fits(box grid.Rect, t topology.Topology) bool {
	return box.Empty() || (t.W == 0 || box.X >= 0 && box.X+box.W <= t.W) && (t.H == 0 || box.Y >= 0 && box.Y+box.H <= t.H)
}
