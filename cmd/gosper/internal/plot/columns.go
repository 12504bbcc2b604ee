package plot

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/ensemble/figures"
	"github.com/gosper-life/gosper/internal/figure"
	"github.com/gosper-life/gosper/internal/result"
)

// columns draws columns of any table of numbers against another one. Rows without a number are left out.
func (cmd *Command) columns() (figures.Drawing, error) {
	if cmd.Against != "" || len(cmd.Rule) > 0 || cmd.Generation != nil {
		return figures.Drawing{}, errors.New("--x draws all rows of any table: leave out --against, --rule and --generation")
	}
	n, err := result.ReadNumbers(cmd.File)
	if err != nil {
		return figures.Drawing{}, err
	}
	quantities := slices.DeleteFunc(slices.Clone(n.Names), func(name string) bool {
		return name == cmd.X || name == cmd.Error
	})
	if cmd.Quantity != "" {
		quantities = strings.Split(cmd.Quantity, ",")
	}
	named := append([]string{cmd.X}, quantities...)
	if cmd.Error != "" {
		named = append(named, cmd.Error)
	}
	for _, name := range named {
		if n.Columns[name] == nil {
			return figures.Drawing{}, fmt.Errorf("%s has no column %q of numbers; it has %s", cmd.File, name,
				strings.Join(n.Names, ", "))
		}
	}
	if cmd.Error != "" && len(quantities) != 1 {
		return figures.Drawing{}, fmt.Errorf("--error %s: want one quantity, not %s", cmd.Error,
			strings.Join(quantities, ", "))
	}
	xs := n.Columns[cmd.X]
	var order []int // of rows, by x
	for i, x := range xs {
		if !math.IsNaN(x) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })
	f := figure.Figure{
		Title: strings.Join(quantities, ", "), X: figure.Axis{Label: cmd.X},
		Y: figure.Axis{Label: strings.Join(quantities, ", ")},
	}
	repeated := false // then a line would go up and down
	for i := 1; i < len(order); i++ {
		repeated = repeated || xs[order[i]] == xs[order[i-1]]
	}
	for _, q := range quantities {
		s := figure.Series{Name: q, Line: !repeated, Points: repeated || len(order) <= 100}
		if len(quantities) == 1 {
			s.Name = ""
		}
		for _, i := range order {
			if y := n.Columns[q][i]; !math.IsNaN(y) {
				s.X, s.Y = append(s.X, xs[i]), append(s.Y, y)
				if cmd.Error != "" {
					s.Err = append(s.Err, n.Columns[cmd.Error][i])
				}
			}
		}
		f.Series = append(f.Series, s)
	}
	if cmd.Error != "" {
		f.Note = "± 1 standard error, column " + cmd.Error + "."
	}
	return figures.Drawing{Figure: f}, nil
}
