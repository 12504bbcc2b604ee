package ensemble_test

import (
	"context"
	"fmt"
	"log"
	"math/bits"
	"os"

	"github.com/gosper-life/gosper"
	"github.com/gosper-life/gosper/ensemble"
)

// stripes measures the share of rows that have no live cell.
type stripes struct{}

func (stripes) Quantities(ensemble.Setting) []string { return []string{"empty_rows"} }

func (stripes) Measure(dst []float64, v ensemble.View) {
	empty := 0
	for y := range v.Cells.H() {
		n := 0
		for _, word := range v.Cells.Row(0, y) { // 64 cells
			n += bits.OnesCount64(word)
		}
		if n == 0 {
			empty++
		}
	}
	dst[0] = float64(empty) / float64(v.Cells.H())
}

// A measure of one's own is an instrument and its registration.
func ExampleRegister() {
	ensemble.Register(ensemble.Measure{
		Name: "stripes", Version: 1, About: "rows without live cells", Instrument: stripes{}, Needs: ensemble.NeedsCells,
	})
	dir, err := os.MkdirTemp("", "stripes")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	spec := ensemble.Spec{
		Rules: []string{"B3/S23"}, Sizes: []string{"32"}, Densities: ensemble.Densities{0.1}, Universes: 50, Generations: 100,
		Measures: []string{"stripes"},
	}
	data, err := gosper.Ensemble(context.Background(), spec, "auto", dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range data.Summary {
		if row.Quantity == "empty_rows" {
			fmt.Printf("%.2f ± %.2f of the rows are empty\n", row.Mean, *row.Error)
		}
	}
	// Output: 0.51 ± 0.03 of the rows are empty
}
