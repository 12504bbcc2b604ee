package circuit

import (
	"testing"

	"github.com/gosper-life/gosper/rule"
)

// A circuit says nothing about edges, and the tables of the three planes are few.
func TestSwaps(t *testing.T) {
	inside, err := rule.Parse("BusyBoxes")
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(inside); err == nil {
		t.Error("BusyBoxes has a circuit")
	}
	across, err := rule.Parse("BusyBoxesW")
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(across); err != nil {
		t.Error(err)
	}
	tables := 0
	for _, n := range Of(across).Nodes {
		if n.Kind == Table {
			tables++
		}
	}
	if tables != 3*14+3 {
		t.Errorf("%d tables, want 14 for each plane and 3 that choose", tables)
	}
}
