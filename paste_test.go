package gosper

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/pattern"
)

// TestPasteKeepsOtherCells pastes a pattern of many states beside, over and across the edge of other cells.
// Only its live cells may change anything.
func TestPasteKeepsOtherCells(t *testing.T) {
	u, err := Open("345/2/4:P100,60")
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	p, err := pattern.Read(strings.NewReader("x = 3, y = 2, rule = 345/2/4\nA.C$.B!\n"), "a.rle")
	if err != nil {
		t.Fatal(err)
	}
	want := map[[2]int]int{{0, 0}: 3, {99, 59}: 1, {40, 40}: 2, {11, 10}: 3, {12, 10}: 1}
	for at, state := range want {
		if err := u.SetCell(at[0], at[1], state); err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range [][2]int{{10, 10}, {98, 20}, {-1, 30}} {
		if err := u.Paste(p, at[0], at[1]); err != nil {
			t.Fatal(err)
		}
	}
	for at, state := range map[[2]int]int{
		{10, 10}: 1, {12, 10}: 3, {11, 11}: 2, {98, 20}: 1, {99, 21}: 2, {1, 30}: 3,
		{0, 31}: 2,
	} {
		want[at] = state
	}
	for y := range 60 {
		for x := range 100 {
			if got, err := u.Cell(x, y); err != nil || got != want[[2]int{x, y}] {
				t.Errorf("cell %d,%d is %d (%v), want %d", x, y, got, err, want[[2]int{x, y}])
			}
		}
	}
}
