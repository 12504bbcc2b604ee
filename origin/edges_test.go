package origin

import (
	"testing"

	"github.com/gosper-life/gosper/topology"
)

func TestTopologyFlags(t *testing.T) {
	tests := []struct {
		flag       string
		size       Size
		ruleSuffix string
		fileSuffix string
		want       string // empty: refused
	}{
		{"", Size{}, "", "", "T8,8"},
		{"", Size{30, 20}, "", "", "T30,20"},
		{"plane", Size{}, "", "", "P8,8"},
		{"Plane", Size{30, 20}, "", "", "P30,20"},
		{"sphere", Size{30, 30}, "", "", "S30"},
		{"unbounded", Size{}, "", "", "T0"},
		{":K30*,20", Size{}, "", "", "K30*,20"},
		{"T30+5,20", Size{30, 20}, "", "", "T30+5,20"},

		{"", Size{}, "K30*,20", "", "K30*,20"},
		{"", Size{30, 20}, "K30*,20", "", "K30*,20"},
		{"klein", Size{30, 20}, "K30*,20", "", "K30*,20"},
		{"K30*,20", Size{}, "K30*,20", "", "K30*,20"},
		{"", Size{20, 30}, "K30*,20", "", ""},
		{"torus", Size{}, "K30*,20", "", ""},
		{"K30,20*", Size{}, "K30*,20", "", ""},
		{"unbounded", Size{}, "K30*,20", "", ""},

		{"", Size{}, "", "P5,6", "P5,6"},
		{"", Size{}, "T9", "P5,6", "T9,9"},
		{"", Size{7, 7}, "", "P5,6", "T7,7"},
		{"klein", Size{}, "", "P5,6", "K5,6*"},
		{"unbounded", Size{}, "", "P5,6", "T0"},

		{"T30,20", Size{20, 30}, "", "", ""},
		{"unbounded", Size{20, 30}, "", "", ""},
		{"sphere", Size{30, 20}, "", "", ""},
		{"tours", Size{}, "", "", ""},
		{"T30,x", Size{}, "", "", ""},
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
		f := Flags{Topology: test.flag, Size: test.size}
		fallback := topology.Topology{Kind: topology.Torus, W: 8, H: 8}
		got, err := f.topology(parse(test.ruleSuffix), parse(test.fileSuffix), fallback)
		if err != nil != (test.want == "") || err == nil && got.String() != test.want {
			t.Errorf("%+v: %v (%v)", test, got, err)
		}
	}
}
