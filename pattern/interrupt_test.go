package pattern_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/pattern"
)

// TestWritingFarTreesIsInterrupted: a tree of few squares and 2^36 cells would take minutes to write cell by
// cell. It ends with its context.
func TestWritingFarTreesIsInterrupted(t *testing.T) {
	var file strings.Builder
	file.WriteString("[M2] (test)\n#R B3/S23\n**$**$\n")
	for level := 4; level <= 18; level++ {
		n := level - 3
		fmt.Fprintf(&file, "%d %d %d %d %d\n", level, n, n, n, n)
	}
	p, err := pattern.Options{Squares: true}.Read(t.Context(), strings.NewReader(file.String()), "")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := p.Source()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"a.rle", "a.cells", "a.lif", "a.life", "a.png", "a.npy", "a.rle.gz"} {
		if err := pattern.WriteAs(ctx, io.Discard, name, cells, pattern.Meta{States: 2}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
