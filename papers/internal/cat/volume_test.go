package cat_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/cat"
	"github.com/gosper-life/gosper/papers/internal/papertest"
)

func TestVolumesOnGPU(t *testing.T) { checkVolumes(t, papertest.GPU(t)) }

// checkVolume compares a rule on a torus of w×h×layers cells with the reference.
func checkVolume(t *testing.T, d *gpu.Device, text string, density float64, w, h, layers, patchRows int) {
	t.Helper()
	r := parse(t, text)
	papertest.Run(t, papertest.Suite{
		Rule: text, Sizes: [][2]int{{w, h * layers}}, Layers: layers, Steps: []int{1, 2}, Density: density,
		Open: func(w, h int) (experiment.Stepper, error) {
			return cat.Volume.Open(d, r, w, h, cat.Options{Layers: layers, Rows: patchRows})
		},
	})
}

// checkVolumes compares CAT-VOLUME with the reference: every kernel, the rules of the measurements, tori regular and
// awkward, and rules at random.
func checkVolumes(t *testing.T, d *gpu.Device) {
	for _, p := range cat.Volumes() {
		for _, patchRows := range cat.PatchRows {
			checkVolume(t, d, p.Notation, p.Density, 33, 7, 3, patchRows)
		}
	}
	for _, c := range []struct {
		text         string
		w, h, layers int
	}{
		{"3D4,5/5", 1, 1, 1},
		{"3D4,5/5", 70, 67, 5},
		{"3D5..7/6", 64, 32, 9},
		{"3DR8,C0,M0,S1500..2200,B1500..1900,NM", 5, 3, 40},
		{"3DR9,C0,M0,S2000..3000,B2000..2700,NM", 130, 2, 2},
		{"3DR16,C0,M0,S0..35936,B17000..35936,NM", 17, 5, 3}, // sums beyond 32767
		{"3DR15,C0,M0,S29790..29790,B0..0,NM", 9, 4, 2},
		{"3D/6", 20, 10, 4},
	} {
		for _, patchRows := range cat.PatchRows {
			checkVolume(t, d, c.text, 0.4, c.w, c.h, c.layers, patchRows)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		radius := rapid.SampledFrom([]int{1, 1, 2, 3, 5, 9}).Draw(rt, "radius")
		n := (2*radius+1)*(2*radius+1)*(2*radius+1) - 1
		interval := func(name string) string {
			lo := rapid.IntRange(0, n).Draw(rt, name+" from")
			return fmt.Sprintf("%d..%d", lo, rapid.IntRange(lo, n).Draw(rt, name+" to"))
		}
		text := fmt.Sprintf("3DR%d,C0,M0,S%s,B%s,NM", radius, interval("survival"), interval("birth"))
		most := 40 / radius // the reference adds up cell by cell
		w, h := rapid.IntRange(1, most).Draw(rt, "width"), rapid.IntRange(1, 6).Draw(rt, "height")
		layers := rapid.IntRange(1, 4).Draw(rt, "layers")
		patchRows := rapid.SampledFrom(cat.PatchRows).Draw(rt, "rows of a patch")
		checkVolume(t, d, text, 0.5, w, h, layers, patchRows)
		if t.Failed() {
			rt.Fatal("differs")
		}
	})
	for _, c := range []struct {
		text string
		o    cat.Options
		h    int
	}{
		{"B3/S23", cat.Options{Layers: 2}, 4},
		{"3D4,5/5F", cat.Options{Layers: 2}, 4},
		{"3D4,5,7/5", cat.Options{Layers: 2}, 4},
		{"4/4/5/M", cat.Options{Layers: 2}, 4},
		{"3D4,5/5", cat.Options{Layers: 2, Rows: 16}, 4},
		{"3D4,5/5", cat.Options{Layers: 2}, 5},
		{"3D4,5/5", cat.Options{}, 4},
	} {
		if u, err := cat.Volume.Open(d, parse(t, c.text), 4, c.h, c.o); err == nil {
			t.Errorf("%s, %+v: not refused", c.text, c.o)
			u.Close()
		}
	}
	u, err := cat.Volume.Open(d, parse(t, "3D4,5/5"), 4097, 2, cat.Options{Layers: 1})
	if !errors.As(err, new(*experiment.SizeError)) {
		t.Errorf("a side of 4097 is not refused: %v", err)
	}
	if err == nil {
		u.Close()
	}
	if u, err := cat.Base.Open(d, parse(t, "3D4,5/5"), 4, 4, cat.Options{}); err == nil {
		t.Error("BASE takes a rule of three dimensions")
		u.Close()
	}
}
