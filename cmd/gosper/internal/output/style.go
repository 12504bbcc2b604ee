package output

import (
	"cmp"

	"github.com/gosper-life/gosper/internal/figure"
)

// StyleFlags say how figures look.
type StyleFlags struct {
	Style string  `placeholder:"FILE" help:"Style of the figure, .toml or .json: width and height in mm, font_size, dpi, colours, title, note. docs/ensembles.md lists them."`
	Width float64 `placeholder:"MM" help:"Width of the figure, such as the column of a journal: often 86. Default: that of --style, else 195."`
}

// Read reads the style.
func (f StyleFlags) Read() (style figure.Style, err error) {
	if f.Style != "" {
		if style, err = figure.ReadStyle(f.Style); err != nil {
			return style, err
		}
	}
	style.Width = cmp.Or(f.Width, style.Width)
	return style, style.Check()
}
