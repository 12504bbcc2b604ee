package origin

import (
	"testing"

	"github.com/gosper-life/gosper/topology"
)

func TestTopologyFlags(t *testing.T) {
	tests := []struct {
		flag       string
		size       string
		ruleSuffix string // or 3D
		fileSuffix string
		want       string // empty: refused
	}{
		{"", "", "", "", "T8,8"},
		{"", "30x20", "", "", "T30,20"},
		{"plane", "", "", "", "P8,8"},
		{"Plane", "30x20", "", "", "P30,20"},
		{"sphere", "30x30", "", "", "S30"},
		{"unbounded", "", "", "", "T0"},
		{":K30*,20", "", "", "", "K30*,20"},
		{"T30+5,20", "30x20", "", "", "T30+5,20"},

		{"", "", "K30*,20", "", "K30*,20"},
		{"", "30x20", "K30*,20", "", "K30*,20"},
		{"klein", "30x20", "K30*,20", "", "K30*,20"},
		{"K30*,20", "", "K30*,20", "", "K30*,20"},
		{"", "20x30", "K30*,20", "", ""},
		{"torus", "", "K30*,20", "", ""},
		{"K30,20*", "", "K30*,20", "", ""},
		{"unbounded", "", "K30*,20", "", ""},

		{"", "", "", "P5,6", "P5,6"},
		{"", "", "T9", "P5,6", "T9,9"},
		{"", "7", "", "P5,6", "T7,7"},
		{"klein", "", "", "P5,6", "K5,6*"},
		{"unbounded", "", "", "P5,6", "T0"},

		{"T30,20", "20x30", "", "", ""},
		{"unbounded", "20x30", "", "", ""},
		{"sphere", "30x20", "", "", ""},
		{"tours", "", "", "", ""},
		{"T30,x", "", "", "", ""},

		// A rule of three dimensions makes a cube of one number.
		{"", "30x20x10", "", "", "T30,20,10"},
		{"plane", "30x20x10", "", "", "P30,20,10"},
		{"", "7", "3D", "", "T7,7,7"},
		{"", "7x6", "3D", "", "T7,6"},
		{"plane", "", "3D", "P5,6,7", "P5,6,7"},
		{"torus", "", "3D", "P5,6,7", "T5,6,7"},
		{"T5,5,5", "5", "", "", "T5,5,5"},
		{"T5,5,5", "5x5x5", "", "", "T5,5,5"},
		{"T5,5,5", "5x5", "", "", ""},
		{"T5,5,5", "5x5x4", "", "", ""},
		{"T5,25", "5x5x5", "", "", ""},
		{"klein", "5x5x5", "", "", ""},
		{"", "7x2000000000x2", "", "", ""},
	}
	parse := func(suffix string) *topology.Topology {
		if suffix == "" {
			return nil
		}
		parsed, err := topology.Parse(suffix)
		if err != nil {
			t.Fatal(err)
		}
		return &parsed
	}
	for _, test := range tests {
		f := Flags{Topology: test.flag}
		if test.size != "" {
			if err := f.Size.UnmarshalText([]byte(test.size)); err != nil {
				t.Fatal(err)
			}
		}
		volume := test.ruleSuffix == "3D"
		if volume {
			test.ruleSuffix = ""
		}
		fallback := topology.Topology{Kind: topology.Torus, W: 8, H: 8}
		got, err := f.topology(parse(test.ruleSuffix), parse(test.fileSuffix), fallback, volume)
		if err != nil != (test.want == "") || err == nil && got.String() != test.want {
			t.Errorf("%+v: %v (%v)", test, got, err)
		}
	}
}
