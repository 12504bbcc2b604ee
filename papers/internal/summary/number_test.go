package summary

import (
	"testing"

	"github.com/gosper-life/gosper/papers/experiment"
)

func TestRate(t *testing.T) {
	m := experiment.Measurement{CellsPerSec: 2.2e11, Seconds: 1}
	for _, c := range []struct {
		each []float64
		want string
	}{
		{nil, "2.2e11"},
		{[]float64{0.9, 1, 1.1}, "2.2e11"},
		{[]float64{0.7, 1.2, 1.1}, "2.2e11 (spread 50 %)"},
	} {
		if m.Each = c.each; Rate(m) != c.want {
			t.Errorf("%v: %q, want %q", c.each, Rate(m), c.want)
		}
	}
}

func TestSignificant(t *testing.T) {
	for v, want := range map[float64]string{
		0.16312: "0.163", 2151: "2151", 4.3e13: "4.3e13", 1e-5: "1e-05", 58.3: "58.3",
		0: "0",
	} {
		if got := Significant(&v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
	if got := Significant(nil); got != "" {
		t.Errorf("nil: %q", got)
	}
}
