package pattern

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/pattern/internal/codec"
)

// IsStack reports whether a path is the name of a stack: of PNGs, one for each layer of a volume, numbered from 0 on.
// The name of the files has %d, or %03d for numbers of three digits: "slices/%03d.png". A pattern of two dimensions is
// written to one file of exactly this name.
func IsStack(path string) bool {
	format, _, err := FormatOf(path)
	_, verb, _ := cutStack(path)
	return err == nil && format == PNG && verb != ""
}

// LayerName is the name of the file of a layer.
func LayerName(path string, z int) string {
	before, verb, after := cutStack(path)
	return before + fmt.Sprintf(verb, z) + after
}

// cutStack cuts the name of a stack around the verb of the number. There is no verb if the name of the files has none
// or several.
func cutStack(path string) (before, verb, after string) {
	for i := len(path) - len(filepath.Base(path)); i < len(path); i++ {
		n := 0
		switch at := path[i:]; {
		case strings.HasPrefix(at, "%d"):
			n = 2
		case len(at) >= 4 && at[:2] == "%0" && '1' <= at[2] && at[2] <= '9' && at[3] == 'd':
			n = 4
		default:
			continue
		}
		if verb != "" {
			return path, "", ""
		}
		before, verb, after = path[:i], path[i:i+n], path[i+n:]
	}
	return before, verb, after
}

// layers is the number of layers of a volume, 0 in two dimensions.
func (m Meta) layers() int { return max(m.Depth, m.universe().D) }

// WriteLayers writes the layers of a volume as a stack of this name: layer z to the writer that to returns. A file
// says the rule of the volume, and which layer it is by its position.
func WriteLayers(ctx context.Context, name string, src grid.Source, meta Meta, to func(z int) io.Writer) error {
	all, err := src.Extent()
	if err != nil {
		return err
	}
	n := meta.layers()
	h := all.H / n
	if all.H%n != 0 {
		return fmt.Errorf("%d rows are not those of %d layers", all.H, n)
	}
	for z := range n {
		of := meta
		of.Depth, of.X, of.Y, of.HasPosition = 0, 0, 0, true
		part := grid.Part{Source: src, Bounds: grid.Rect{X: all.X, Y: all.Y + z*h, W: all.W, H: h}}
		at, err := part.Extent()
		if err != nil {
			return err
		}
		of.X, of.Y = -at.X, z*h-at.Y
		if err := WriteAs(ctx, cancelled{ctx, to(z)}, LayerName(name, z), part, of); err != nil {
			return err
		}
	}
	return nil
}

// writeStack writes the files of a stack. They get their names when all are complete.
func writeStack(ctx context.Context, path string, n int, src grid.Source, meta Meta, force bool) error {
	files := make([]*atomicfile.File, n)
	for z := range files {
		var err error
		if files[z], err = atomicfile.Create(LayerName(path, z), force); err != nil {
			return err
		}
		defer files[z].Abort()
	}
	if err := WriteLayers(ctx, path, src, meta, func(z int) io.Writer { return files[z] }); err != nil {
		return err
	}
	return atomicfile.CommitAll(files)
}

// layerFile is a file of a folder, with its name cut around the number.
type layerFile struct {
	name, before, digits, after string
	number                      int
}

// cutLayer cuts the name of a file around its last number. There are no digits if it has none.
func cutLayer(name string) layerFile {
	isDigit := func(c rune) bool { return '0' <= c && c <= '9' }
	end := strings.LastIndexFunc(name, isDigit) + 1
	before := strings.TrimRightFunc(name[:end], isDigit)
	return layerFile{name: name, before: before, digits: name[len(before):end], after: name[end:]}
}

// layerFiles lists the files of a stack in the order of their numbers. path is the stack's name, or a folder whose PNGs
// are those of one stack.
func layerFiles(path string, folder bool) (files []string, err error) {
	dir := path
	var before, after string
	if !folder {
		dir = filepath.Dir(path)
		before, _, after = cutStack(filepath.Base(path))
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []layerFile
	for _, entry := range entries {
		name := entry.Name()
		l := cutLayer(name)
		if !folder {
			from, to := len(before), len(name)-len(after)
			if from >= to || name[:from] != before || name[to:] != after || strings.Trim(name[from:to], "0123456789") != "" {
				continue
			}
			l = layerFile{name: name, before: before, digits: name[from:to], after: after}
		}
		if format, _, err := FormatOf(name); err == nil && format == PNG && l.digits != "" {
			l.number, _ = strconv.Atoi(l.digits) // numbers that are too large are not one after another
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b layerFile) int { return cmp.Compare(a.number, b.number) })
	for i, l := range all {
		first := all[0]
		switch {
		case l.before != first.before || l.after != first.after:
			return nil, fmt.Errorf("%s: %s and %s are files of different stacks: name one, such as %s", path, first.name,
				l.name, filepath.Join(dir, first.before+"%d"+first.after))
		case l.number != first.number+i:
			return nil, fmt.Errorf("%s: the layers have numbers one after another, but %s is number %d of %d", path,
				l.name, i+1, len(all))
		}
		files = append(files, filepath.Join(dir, l.name))
	}
	if len(files) == 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return files, nil
}

// readStack reads a volume from the files of its layers. The first one says the rule and the generation.
func (o Options) readStack(ctx context.Context, path string, folder bool) (*Pattern, error) {
	files, err := layerFiles(path, folder)
	if err != nil {
		return nil, err
	}
	var before, read int64
	each := o
	each.Progress = func(bytes int64) {
		if read = before + bytes; o.Progress != nil {
			o.Progress(read)
		}
	}
	c := codec.NewCanvas(ctx, codec.Limits{MaxBytes: o.MaxBytes, Read: func() int64 { return read }})
	var all *Pattern
	for z, file := range files {
		p, err := each.ReadFile(ctx, file)
		if err != nil {
			return nil, err
		}
		before = read
		if all == nil {
			all = p
		}
		layer := all.Bounds
		if p.Format != PNG || p.Depth > 1 || p.Bounds != layer || p.Rule != all.Rule {
			return nil, fmt.Errorf("%s: it is no layer of the same volume as %s: size or rule differ", file, files[0])
		}
		if err := c.Grow(p.Cells.Planes()); err != nil {
			return nil, err
		}
		if err := grid.Copy(c.Tiles, p.Cells, layer, 0, z*layer.H); err != nil {
			return nil, err
		}
		if err := c.Reserve(c.Bytes()); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	t := all.Meta().universe()
	if w, h := all.Bounds.W, all.Bounds.H; t.D > 0 && (t.W != w || t.LayerRows() != h || t.D != len(files)) {
		return nil, fmt.Errorf("%s: %d layers of %d×%d cells, but their rule is %s", path, len(files), w, h, all.Rule)
	}
	all.Bounds.H *= len(files)
	all.Depth, all.HasPosition, all.X, all.Y = len(files), false, 0, 0
	return all, all.take(c)
}
