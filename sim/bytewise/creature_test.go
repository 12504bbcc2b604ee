package bytewise_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/bytewise"
	"github.com/gosper-life/gosper/sim/reference"
)

// scatter writes random cells into a box of a universe, so that its first and last rows and columns have some.
func scatter(t *testing.T, random *rand.Rand, u grid.Sink, r grid.Rect, states, percent int) {
	t.Helper()
	for y := range r.H {
		planes := make([][1]uint64, grid.PlanesOf(states))
		for x := range r.W {
			corner := (x == 0 || x == r.W-1) && (y == 0 || y == r.H-1)
			if !corner && random.IntN(100) >= percent {
				continue
			}
			state := 1 + random.IntN(states-1)
			for k := range planes {
				planes[k][0] |= uint64(state>>k&1) << x
			}
		}
		for k := range planes {
			if err := u.WriteRow(planes[k][:], k, r.X, r.Y+y, r.W); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestRunIsTheReference(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i, text := range []string{
		"B3/S23", "B36/S23", "B2/S", "B1/S012345678", "/2/3", "345/2/7", "B3678/S34678",
		"R2,C0,M1,S7..10,B7..11,NM", "R3,C5,M0,S6..19,B8..13,NM", "R4,C0,M1,S24..38,B22..31,NM",
		"R5,C0,M1,S34..58,B34..45,NM",
		"R7,C3,M0,S20..60,B15..44,NM", "R10,C0,M1,S154..262,B133..265,NM", "R1,C0,M0,S2..3,B3..3,N@ff",
	} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, side := range []int{1, 2, 8, 13} {
			t.Run(fmt.Sprintf("%s/%d", text, side), func(t *testing.T) {
				s := bytewise.NewStepper([]rule.Rule{r})
				if s == nil {
					t.Fatal("box is not for the rule")
				}
				want, err := reference.Open(t.Context(), sim.Config{Rule: r})
				if err != nil {
					t.Fatal(err)
				}
				area := grid.Rect{X: -5 + 31*i, Y: 3 - 17*i, W: side + 4*r.Radius(), H: side}
				scatter(t, random, want, area, r.States, 30+random.IntN(60))
				got, err := grid.NewTiles(r.Planes())
				if err != nil {
					t.Fatal(err)
				}
				grid.InMemory(grid.Copy(got, want, area, area.X, area.Y))
				for g := uint64(0); g < 7; {
					if area, err = got.Extent(); err != nil {
						t.Fatal(err)
					}
					if !s.Takes(area) {
						break
					}
					n, err := s.Run(t.Context(), got, area, 1+g%3, func(uint64) int { return 0 })
					if err != nil {
						t.Fatal(err)
					}
					if g += n; n == 0 {
						t.Fatal("nothing was done")
					}
					if _, err := want.Step(t.Context(), n); err != nil {
						t.Fatal(err)
					}
					if x, y, differ, err := grid.FirstDifference(got, want); err != nil || differ {
						t.Fatalf("generation %d: cell (%d,%d) differs (%v)", g, x, y, err)
					}
				}
			})
		}
	}
}

func TestOthersAreRefused(t *testing.T) {
	for _, text := range []string{
		"B0/S23", "B2-a/S12", "B36/S23H", "B13/S012V", "R2,C0,M1,S7..10,B7..11,NN", "R41,C0,M1,S7..10,B7..11,NM",
		"B3/S23|B36/S23",
		"R1,C0,M0,S2..3,B3..3,N@ee", "M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15",
	} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if bytewise.NewStepper([]rule.Rule{r}) != nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// TestLeaps runs creatures that repeat for longer than anybody could wait.
func TestLeaps(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	const aeon = 1<<50 + 2
	for name, c := range map[string]struct {
		rows []uint64
		want grid.Rect
	}{
		"block":   {[]uint64{0b11, 0b11}, grid.Rect{X: -1, Y: 7, W: 2, H: 2}},
		"blinker": {[]uint64{0b111}, grid.Rect{X: -1, Y: 7, W: 3, H: 1}},
		"glider":  {[]uint64{0b010, 0b100, 0b111}, grid.Rect{X: -1 + 1<<48, Y: 8 + 1<<48, W: 3, H: 3}},
		"nothing": {nil, grid.Rect{}},
		"dead":    {[]uint64{1}, grid.Rect{}},
	} {
		u, err := grid.NewTiles(1)
		if err != nil {
			t.Fatal(err)
		}
		for y, row := range c.rows {
			grid.InMemory(u.WriteRow([]uint64{row}, 0, -1, 7+y, 3))
		}
		area, _ := u.Extent()
		n, err := bytewise.NewStepper([]rule.Rule{r}).Run(t.Context(), u, area, aeon, func(uint64) int { return 0 })
		if got, _ := u.Extent(); err != nil || n != aeon || got != c.want {
			t.Errorf("%s: %d generations (%v), then it is in %v, want %v", name, n, err, got, c.want)
		}
	}
}

// TestFar runs a glider to where coordinates end. It must stop leaping before.
func TestFar(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	u, err := grid.NewTiles(1)
	if err != nil {
		t.Fatal(err)
	}
	for y, row := range []uint64{0b010, 0b100, 0b111} {
		grid.InMemory(u.WriteRow([]uint64{row}, 0, 0, y, 3))
	}
	ctx, cancel := context.WithCancel(t.Context())
	last := uint64(0)
	stepper := bytewise.NewStepper([]rule.Rule{r})
	n, err := stepper.Run(ctx, u, grid.Rect{W: 3, H: 3}, math.MaxUint64, func(done uint64) int {
		if done > math.MaxInt/8 && done-last < 1000 {
			cancel() // it goes on in small steps
		}
		last = done
		return 0
	})
	if got, _ := u.Extent(); err != nil || got.X < math.MaxInt/8-100 || got.X > math.MaxInt/8+100 ||
		n/4-uint64(got.X) > 1 {
		t.Errorf("%d generations (%v), then it is in %v", n, err, got)
	}
}
