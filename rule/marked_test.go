package rule_test

import (
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/local"
)

func TestHistory(t *testing.T) {
	r := mustParse(t, "lifehistory")
	if r.States != 7 || r.String() != "B3/S23History" || !mustParse(t, r.String()).Equal(r) {
		t.Fatalf("read as %v, of %d states", r, r.States)
	}
	const n, ne, e, se, c = local.N, local.NE, local.E, local.SE, local.C
	for _, test := range []struct {
		block local.Around
		want  uint8
	}{
		{local.Around{n: 1, ne: 3, e: 5}, 1},              // born of any three
		{local.Around{n: 1, ne: 1, e: 1, c: 2}, 1},        // where cells were
		{local.Around{n: 1, ne: 1, e: 1, c: 4}, 3},        // on a mark
		{local.Around{n: 1, ne: 1, c: 1}, 1},              // survives
		{local.Around{n: 1, ne: 1, c: 5}, 5},              //
		{local.Around{n: 1, c: 1}, 2},                     // dies, and leaves its trace
		{local.Around{n: 1, c: 3}, 4},                     // a mark
		{local.Around{n: 1, c: 5}, 4},                     //
		{local.Around{n: 2, ne: 4, e: 6, c: 0}, 0},        // none of these is live
		{local.Around{n: 1, ne: 1, e: 6, c: 1}, 2},        // a boundary kills
		{local.Around{n: 1, ne: 1, e: 6, c: 3}, 4},        //
		{local.Around{n: 1, ne: 1, e: 6, c: 6}, 6},        // and stays
		{local.Around{n: 1, ne: 1, e: 1, se: 6}, 1},       // but keeps nothing from being born
		{local.Around{n: 1, ne: 1, e: 1, se: 1, c: 2}, 2}, // four are too many
	} {
		if got := r.Local.Next(&test.block); got != test.want {
			t.Errorf("%v becomes %d, want %d", test.block, got, test.want)
		}
	}
	if r := mustParse(t, "B2/S34HHistory"); r.Local.DependsOn(local.NE) || !r.Local.DependsOn(local.NW) {
		t.Error("a hexagonal rule's history looks at other neighbours than the rule")
	}
	// Neighbourhoods N@ and NW keep their cells.
	for name, want := range map[string]int{
		"R1,C2,S2..2,B1..1,N@11History": 2, "R1,C2,S2..2,B1..1,NW010101010Super": 4, "B3/S23History": 8, "W45": 3,
	} {
		if r := mustParse(t, name); r.Neighbourhood.Size() != want || r.Radius() != 1 {
			t.Errorf("%s has %d neighbours, want %d", name, r.Neighbourhood.Size(), want)
		}
	}
	for name, states := range map[string]int{
		"B3/S23Super": 26, "lifeinvestigator": 21, "B2-a/S12SUPER": 26, "B2/S34HSuper": 26, "B2/S013VHistory": 7,
		"MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAASuper": 26,
		"B3/S23Super:T30,20": 26,
	} {
		if r := mustParse(t, name); r.States != states || !mustParse(t, r.String()).Equal(r) ||
			r.Equal(mustParse(t, "B3/S238History")) {
			t.Errorf("%s is read as %v, of %d states", name, r, r.States)
		}
	}
	if mustParse(t, "B3/S23Super").Equal(mustParse(t, "B3/S238Super")) ||
		!mustParse(t, "B3/S23Super").Equal(mustParse(t, "23/3Super")) {
		t.Error("rules are equal by their names, not by what they say")
	}
	for _, bad := range []string{"History", "345/2/4History", "R2,C2,S2-3,B3,NMHistory", "B3/S23:T9,9History"} {
		if r, err := rule.Parse(bad); err == nil {
			t.Errorf("%s is read as %v", bad, r)
		}
	}
}
