package ensemble

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
)

// openPatterns reads the files that a spec names and puts their cells into the spec. Starts name files by of=. A
// pattern without the "!" that ends RLE is the name of a file, relative to the spec's folder. It is then called as the
// file without its extension.
func openPatterns(ctx context.Context, spec *ensemble.Spec, dir string) error {
	patterns := map[string]string{}
	for name, text := range spec.Patterns {
		if !strings.Contains(text, "!") { // with which all RLE ends
			path := text
			if in := filepath.Join(dir, text); !filepath.IsAbs(text) {
				path = in
			}
			var err error
			if text, err = rleOf(ctx, path); err != nil {
				return fmt.Errorf("pattern %q: %w", name, err)
			}
		}
		patterns[name] = text
	}
	lists := []ensemble.Starts{spec.Starts}
	for _, r := range spec.Rows {
		lists = append(lists, r.Starts)
	}
	for _, starts := range lists {
		if err := openStarts(ctx, starts, patterns); err != nil {
			return err
		}
	}
	if len(patterns) > 0 {
		spec.Patterns = patterns
	}
	return nil
}

// openStarts reads the files that starts name, and names the patterns in their place.
func openStarts(ctx context.Context, starts ensemble.Starts, patterns map[string]string) error {
	for i, start := range starts {
		kind, options, _ := strings.Cut(start, "~")
		parts := strings.Split(options, ",")
		for k, part := range parts {
			key, path, _ := strings.Cut(part, "=")
			path = strings.TrimSpace(path)
			if _, known := patterns[path]; known || strings.TrimSpace(key) != "of" {
				continue
			}
			if _, known := builtin.Lookup(path); known {
				if _, err := os.Stat(path); err != nil { // a file comes first
					continue
				}
			}
			text, err := rleOf(ctx, path)
			if err != nil {
				return fmt.Errorf("start %q: %w", start, err)
			}
			name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
			if there, known := patterns[name]; known && there != text {
				return fmt.Errorf(
					"start %q: there is another pattern %s: give one of them a name of its own among the patterns of a spec", start,
					name)
			}
			patterns[name], parts[k] = text, "of="+name
			starts[i] = kind + "~" + strings.Join(parts, ",")
		}
	}
	return nil
}

// rleOf is the text of an RLE file, or of a pattern of another kind as RLE.
func rleOf(ctx context.Context, path string) (string, error) {
	p, err := origin.OpenPattern(ctx, path, pattern.Options{})
	if err != nil {
		return "", err
	}
	if text, err := os.ReadFile(path); err == nil && p.Format == pattern.RLE &&
		!bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		return strings.TrimSpace(string(text)), nil
	}
	var b bytes.Buffer
	meta := pattern.Meta{Rule: p.Rule, States: p.States, X: p.X, Y: p.Y, HasPosition: p.HasPosition}
	err = pattern.Write(&b, pattern.RLE, p.Cells, meta)
	return strings.TrimSpace(b.String()), err
}
