package cuda

import (
	"errors"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/sim"
)

// glider flies down and to the right, a cell each way in four generations.
func glider(e sim.Engine, x, y int) error {
	var errs [3]error
	for dy, row := range []uint64{0b010, 0b100, 0b111} {
		errs[dy] = e.WriteRow([]uint64{row}, 0, x, y+dy, 3)
	}
	return errors.Join(errs[:]...)
}

// A window follows what leaves it, and closed engines hold no memory.
func TestWindowFollows(t *testing.T) {
	dev := &gputest.Driver{}
	e, err := openOn(dev, 1, lifeOn("T0"))
	if err != nil {
		t.Fatal(err)
	}
	if err := glider(e, -1, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Step(t.Context(), 1200); err != nil {
		t.Fatal(err)
	}
	if want := (grid.Rect{X: 299, Y: 299, W: 3, H: 3}); gridtest.Extent(t, e) != want || gridtest.Population(t, e) != 5 {
		t.Errorf("%d cells in %v, want 5 in %v", gridtest.Population(t, e), gridtest.Extent(t, e), want)
	}
	if w := e.(*infinite).bounds(); w.W > 300 || w.H > 300 {
		t.Errorf("a window of %v for a glider", w)
	}
	if err := e.Close(); err != nil || dev.Used != 0 || dev.Left() != 0 {
		t.Errorf("%d bytes and %d objects are still held, %v", dev.Used, dev.Left(), err)
	}
}

// Where memory does not do, the error says what would be needed, and the universe stays as it was.
func TestWindowOutOfMemory(t *testing.T) {
	dev := &gputest.Driver{Limit: 1 << 20}
	e, err := openOn(dev, 1, lifeOn("T0"))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := errors.Join(glider(e, 0, 0), glider(e, 500, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Step(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	held := dev.Used
	dev.Limit = held + 1000
	var done uint64
	for err == nil && done < 4000 {
		var n uint64
		n, err = e.Step(t.Context(), 100)
		done += n
	}
	if err == nil || !strings.Contains(err.Error(), "the cells are spread over 503×3") ||
		!strings.Contains(err.Error(), "more are needed") {
		t.Fatalf("after %d generations: %v", done, err)
	}
	g := int(done) + 8
	if e.Generation() != uint64(g) || gridtest.Population(t, e) != 10 || dev.Used != held {
		t.Errorf("generation %d, %d cells, %d bytes, want %d, 10, %d", e.Generation(), gridtest.Population(t, e), dev.Used, g,
			held)
	}
	if want := (grid.Rect{X: g / 4, Y: g / 4, W: 503, H: 3}); g%4 == 0 && gridtest.Extent(t, e) != want {
		t.Errorf("bounds %v, want %v", gridtest.Extent(t, e), want)
	}
	dev.Limit = 0 // and goes on when there is memory again
	if n, err := e.Step(t.Context(), 4); n != 4 || err != nil {
		t.Errorf("%d generations, %v", n, err)
	}
}

// A universe that no GPU can hold is refused before any allocation.
func TestWindowTooLarge(t *testing.T) {
	e, err := openHost(lifeOn("T0"))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := glider(e, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := glider(e, 1<<40, 1<<40); err == nil || !strings.Contains(err.Error(), "too large for a GPU") {
		t.Errorf("got %v", err)
	}
	_, err = openOn(&gputest.Driver{}, 2, lifeOn("T0"))
	var unsupported *sim.Unsupported
	if !errors.As(err, &unsupported) {
		t.Errorf("two devices: %v", err)
	}
}
