package origin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

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

// OpenPattern reads what a PATTERN argument names: a file, standard input (-), a built-in pattern, or an object by its apgcode. A file has priority
// over a built-in pattern of the same name.
func OpenPattern(ctx context.Context, name string, o pattern.Options) (*pattern.Pattern, error) {
	p, err := readFile(ctx, name, o)
	switch {
	case err == nil:
		return p, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case checkpoint.Is(name):
		return nil, fmt.Errorf("%s: this is a checkpoint, not a pattern; gosper run --resume %[1]s -g 0 --out FILE converts it", name)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, atomicfile.PathFirst(err)
	}
	if famous, ok := builtin.Lookup(name); ok {
		return pattern.Read(strings.NewReader(famous.RLE), famous.Name+".rle")
	}
	if code, err := census.ParseCode(name); err == nil {
		return object(name, code)
	}
	return nil, unknown(name)
}

// Named checks whether a PATTERN argument names something, without reading it.
func Named(name string) error {
	_, err := os.Stat(name)
	if _, ok := builtin.Lookup(name); ok || name == "-" || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := census.ParseCode(name); err == nil {
		return nil
	}
	return unknown(name)
}

func unknown(name string) error {
	near := names.Closest(filepath.Base(name), nearby(name))
	if near == "" {
		return fmt.Errorf("%s: there is no such file, built-in pattern (gosper patterns lists these) or apgcode", name)
	}
	return fmt.Errorf("%s: there is no such file, built-in pattern or apgcode: did you mean %s?", name, shell.Join([]string{near}))
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

// object returns the pattern of an apgcode. ruleText is the default rule.
func object(name string, code census.Code) (*pattern.Pattern, error) {
	cells, err := grid.NewTiles(1)
	if err != nil {
		return nil, err
	}
	for _, c := range code.Cells {
		cells.Set(c.X, c.Y, 1)
	}
	return &pattern.Pattern{Cells: cells, Bounds: cells.Bounds(), States: 2, Name: name, Format: pattern.RLE}, nil
}

// Corner is the position of cell (0, 0) of a universe in the coordinates of pattern files.
func Corner(t topology.Topology) Point {
	x, y := pattern.Corner(t)
	return Point{x, y}
}

// FilePlace returns the position of cell (0, 0) of a pattern in Golly's coordinates: the one in its file, else the middle of the bounded grid that
// its rule names. known is false if neither is given.
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

// Placement returns the position of cell (0, 0) of a pattern in the universe. It is the one asked for, which is that of the pattern's upper left
// cell, else the one where Golly puts it.
func Placement(p *pattern.Pattern, t topology.Topology, at *Point) Point {
	if at == nil {
		x, y := p.Place(t)
		return Point{x, y}
	}
	c := Corner(t)
	return Point{at.X - c.X - p.Bounds.X, at.Y - c.Y - p.Bounds.Y}
}

// fits reports whether all of box lies within the finite sides of t.
func fits(box grid.Rect, t topology.Topology) bool {
	return box.Empty() || (t.W == 0 || box.X >= 0 && box.X+box.W <= t.W) && (t.H == 0 || box.Y >= 0 && box.Y+box.H <= t.H)
}
