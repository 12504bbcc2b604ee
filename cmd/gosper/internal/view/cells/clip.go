package cells

import (
	"errors"
	"fmt"
	"io"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
)

// MaxClip is the most cells that can be pasted.
const MaxClip = 1 << 22

// ClipOf returns the cells of a pattern, within the box that its file states, to be pasted.
func ClipOf(p *pattern.Pattern) (*grid.Grid, error) {
	box := p.Bounds
	if box.Empty() {
		return nil, errors.New("the text has no cells")
	}
	if len(p.Squares) > 0 || grid.Product(uint64(box.W), uint64(box.H)) > MaxClip {
		return nil, fmt.Errorf("a pattern of %d×%d cells: at most %d can be pasted; load it instead", box.W, box.H, MaxClip)
	}
	clip, err := grid.New(box.W, box.H, p.Cells.Planes())
	if err != nil {
		return nil, err
	}
	return clip, grid.Copy(clip, p.Cells, box, 0, 0)
}

// WriteClip writes cells of a universe under a rule as RLE.
func WriteClip(w io.Writer, clip *grid.Grid, r rule.Rule) error {
	return pattern.Write(w, pattern.RLE, clip, pattern.Meta{Rule: r.String(), States: max(r.States, 1<<clip.Planes())})
}
