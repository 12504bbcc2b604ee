package fit

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/result"
	"github.com/gosper-life/gosper/internal/scaling"
)

// TestCurvesOf: rows become one curve for each size, against the parameter that differs; averages come before
// the last generation.
func TestCurvesOf(t *testing.T) {
	e := 0.1
	var d ensemble.Data
	for _, rule := range []string{"Ising~T=2.3", "Ising~T=2.2"} {
		for _, side := range []string{"T8,8", "T16,16"} {
			for g := range uint64(2) {
				d.Summary = append(d.Summary, ensemble.Summary{
					Place:      ensemble.Place{Rule: rule, Topology: side, StartDensity: 0.5},
					Generation: g, Quantity: "binder", Mean: float64(g), Error: &e,
				})
			}
		}
	}
	curves, axis, err := curvesOf(d, "binder", "")
	if err != nil || axis != "T" || len(curves) != 2 || curves[1].Name != "Ising on T16,16" ||
		len(curves[0].Points) != 2 ||
		curves[0].Points[0] != (scaling.Point{X: 2.2, Y: scaling.Number{Value: 1, Error: 0.1}}) ||
		curves[0].Points[1].X != 2.3 {
		t.Errorf("%+v against %q, %v", curves, axis, err)
	}
	d.Averages = []ensemble.Average{{Place: d.Summary[0].Place, Quantity: "binder", Mean: 7, Error: &e}}
	if curves, _, err = curvesOf(d, "binder", "T"); err != nil || len(curves) != 1 || curves[0].Points[0].Y.Value != 7 {
		t.Errorf("averages: %+v, %v", curves, err)
	}
	var starts ensemble.Data
	for _, start := range []string{"exact~1=20", "exact~1=10"} {
		starts.Summary = append(starts.Summary,
			ensemble.Summary{
				Place: ensemble.Place{Rule: "Contact~lambda=2", Topology: "T8,8", Start: start}, Quantity: "live",
				Mean: 1, Error: &e,
			})
	}
	if curves, axis, err = curvesOf(starts, "live", ""); err != nil || axis != "start_1" || len(curves) != 1 ||
		curves[0].Name != "Contact~lambda=2 on T8,8 from exact" ||
		curves[0].Points[0].X != 10 || curves[0].Points[1].X != 20 {
		t.Errorf("starts: %+v against %q, %v", curves, axis, err)
	}
	if _, _, err = curvesOf(starts, "live", "start_length"); err == nil ||
		err.Error() != `start exact~1=20 has no parameter "length"` {
		t.Errorf("got %v", err)
	}
	for quantity, against := range map[string]string{"energy": "", "binder": "q"} {
		if _, _, err := curvesOf(d, quantity, against); err == nil {
			t.Errorf("%s against %s: no error", quantity, against)
		}
	}
	d.Averages = nil
	for i := range d.Summary {
		d.Summary[i].StartDensity = 0.1 * float64(i)
	}
	if _, _, err = curvesOf(d, "binder", ""); err == nil ||
		err.Error() != "several parameters differ: name one of density, T" {
		t.Errorf("two axes: %v", err)
	}
}

// TestExponentOfNumbers: a quantity that has a number follows a power of it, shares of sizes from 2^K on one of
// 2^K. Samples of the warm-up, sizes that one universe reaches and universes that are missing are left out.
func TestExponentOfNumbers(t *testing.T) {
	dir := t.TempDir()
	p := ensemble.Place{Rule: "Sandpile~p=0.001", Topology: "P32,32", Width: 32, Height: 32, StartDensity: 1}
	var values []ensemble.Value
	for _, index := range []uint64{1, 2, 4} { // 0 and 3 are missing
		add := func(generation uint64, name string, k int, v float64) {
			values = append(values, ensemble.Value{
				Place: p, Index: index, Generation: generation, Quantity: name + " " + strconv.Itoa(k),
				Value: v * float64(index),
			})
		}
		for _, generation := range []uint64{0, 10, 20} {
			for k := range 7 {
				share := math.Exp2(-0.3 * float64(k))
				if generation == 0 { // the warm-up
					share = 1
				}
				if k == 5 && index > 1 || k == 6 {
					share = 0
				}
				add(generation, "avalanche_size_from", k, share)
				if k > 0 {
					add(generation, "mutual", k, float64(generation)*math.Pow(float64(k), -2))
				}
			}
		}
	}
	average := []ensemble.Average{{Place: p, First: 10, Last: 20, Samples: 2, Quantity: "density", Universes: 3}}
	summary := []ensemble.Summary{{Place: p, Generation: 20, Quantity: "density", Universes: 3}}
	for name, err := range map[string]error{
		"values":   result.Write(filepath.Join(dir, "values.csv"), values),
		"averages": result.Write(filepath.Join(dir, "averages.csv"), average),
		"summary":  result.Write(filepath.Join(dir, "summary.csv"), summary),
	} {
		if err != nil {
			t.Fatal(name, err)
		}
	}
	for _, c := range []struct {
		quantity string
		from, to uint64
		power    float64
	}{
		{"avalanche_size_from", 0, 0, -0.3},
		{"avalanche_size_from", 2, 8, -0.3},
		{"mutual", 0, 0, -2},
		{"mutual 2", 0, 0, 1},              // of time
		{"mutual 2/mutual 1", 0, 0, 0},     // and a ratio
		{"avalanche_size_from 0", 0, 0, 0}, // generation 0 has no logarithm
	} {
		cmd := ExponentCommand{Dirs: []string{dir}, Quantity: c.quantity, From: c.from, To: c.to}
		places, found, err := cmd.find()
		if err != nil || len(places) != 1 || places[0] != p || math.Abs(found[0].Value-c.power) > 1e-12 ||
			found[0].Error > 1e-7 {
			t.Errorf("%s from %d to %d: %v, %v, want the power %v", c.quantity, c.from, c.to, found, err, c.power)
		}
		if err == nil && (found[0].law != nil) != (c.quantity == "avalanche_size_from") {
			t.Errorf("%s: law %+v", c.quantity, found[0].law)
		}
	}
	for quantity, want := range map[string]string{
		"avalanche_size_from 6": "the mean at 10 is not above 0, and has no logarithm: leave it out",
		"avalanche_size_from 5": "a mean is above 0 because of one universe alone: take more universes, or leave it out",
		"avalanche_area_from":   "has no avalanche_area_from of each universe in this range",
	} {
		cmd := ExponentCommand{Dirs: []string{dir}, Quantity: quantity}
		if _, _, err := cmd.find(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", quantity, err, want)
		}
	}
}
