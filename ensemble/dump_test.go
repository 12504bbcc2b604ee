package ensemble

import (
	"strings"
	"testing"
)

func TestDumpRefuses(t *testing.T) {
	for _, test := range []struct {
		spec Spec
		want string
	}{
		{Spec{Dump: "11"}, "dump 11 is later than the last generation, 10"},
		{Spec{Dump: "1..x"}, "want whole numbers and ranges FIRST..LAST"},
		{Spec{Dump: "5..1"}, "want whole numbers and ranges FIRST..LAST"},
		{Spec{Dump: "0..9/0"}, "want whole numbers and ranges FIRST..LAST"},
		{Spec{Dump: "0..99999999"}, "want at most 1048576 numbers"},
		{Spec{Dump: "0", DumpUniverses: ","}, `dump_universes: "": want whole numbers`},
		{Spec{DumpUniverses: "1"}, "dump says at which generations"},
		{Spec{Dump: "0", DumpAs: "text"}, `dump_as "text": want bytes, one for each cell, bits, eight`},
		{Spec{Dump: "0", DumpAs: "bits", Rules: []string{"B2/S345/4"}}, "has 4 states; want bytes"},
		{Spec{Dump: "0..9", Sizes: []string{"65536"}}, "10 generations of a universe of 65536×65536 cells do not fit"},
		{
			Spec{Dump: "0", Rules: []string{"B/S..B012345678/S01234"}},
			"16384 combinations of rule, size, density and start would each have a file",
		},
	} {
		if test.spec.Rules == nil {
			test.spec.Rules = []string{"B3/S23"}
		}
		if test.spec.Sizes == nil {
			test.spec.Sizes = []string{"8"}
		}
		test.spec.Universes, test.spec.Generations = 3, 10
		if _, err := test.spec.Check(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %s", test.spec, err, test.want)
		}
	}
	p, err := Spec{Rules: []string{"life"}, Sizes: []string{"8"}, Universes: 3, Dump: "0", DumpUniverses: "1..3"}.Check()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.UniversesToDump(); err == nil || err.Error() != "dump_universes 3: there are only universes 0 to 2" {
		t.Error(err)
	}
}
