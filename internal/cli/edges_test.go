package cli

import (
	"testing"

	"github.com/gosper-life/gosper/topology"
)

func TestTopologyFlags(t *testing.T) {
	tests := []struct {
		flag       string
		size       size
		ruleSuffix string
		fileSuffix string
		want       string // empty: refused
	}{
		{"", size{}, "", "", "T8,8"},
		{"", size{30, 20}, "", "", "T30,20"},
		{"plane", size{}, "", "", "P8,8"},
		{"Plane", size{30, 20}, "", "", "P30,20"},
		{"sphere", size{30, 30}, "", "", "S30"},
		{"unbounded", size{}, "", "", "T0"},
		{":K30*,20", size{}, "", "", "K30*,20"},
		{"T30+5,20", size{30, 20}, "", "", "T30+5,20"},

		{"", size{}, "K30*,20", "", "K30*,20"},
		{"", size{30, 20}, "K30*,20", "", "K30*,20"},
		{"klein", size{30, 20}, "K30*,20", "", "K30*,20"},
		{"K30*,20", size{}, "K30*,20", "", "K30*,20"},
		{"", size{20, 30}, "K30*,20", "", ""},
		{"torus", size{}, "K30*,20", "", ""},
		{"K30,20*", size{}, "K30*,20", "", ""},
		{"unbounded", size{}, "K30*,20", "", ""},

		{"", size{}, "", "P5,6", "P5,6"},
		{"", size{}, "T9", "P5,6", "T9,9"},
		{"", size{7, 7}, "", "P5,6", "T7,7"},
		{"klein", size{}, "", "P5,6", "K5,6*"},
		{"unbounded", size{}, "", "P5,6", "T0"},

		{"T30,20", size{20, 30}, "", "", ""},
		{"unbounded", size{20, 30}, "", "", ""},
		{"sphere", size{30, 20}, "", "", ""},
		{"tours", size{}, "", "", ""},
		{"T30,x", size{}, "", "", ""},
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
		f := universeFlags{Topology: test.flag, Size: test.size}
		fallback := topology.Topology{Kind: topology.Torus, W: 8, H: 8}
		got, err := f.topology(parse(test.ruleSuffix), parse(test.fileSuffix), fallback)
		if err != nil != (test.want == "") || err == nil && got.String() != test.want {
			t.Errorf("%+v: %v (%v)", test, got, err)
		}
	}
}
