package experiment

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/grid"
)

// clockwork is a method whose generations take the times given, again and again.
type clockwork struct {
	times []float64
	steps []int
}

func (*clockwork) Load(*grid.Grid) error  { return nil }
func (*clockwork) Store(*grid.Grid) error { return nil }
func (*clockwork) Close() error           { return nil }
func (c *clockwork) Step(n int) error     { _, err := c.StepTimed(n); return err }

func (c *clockwork) StepTimed(n int) (float64, error) {
	took := c.times[len(c.steps)%len(c.times)]
	c.steps = append(c.steps, n)
	return took * float64(n), nil
}

func TestMeasure(t *testing.T) {
	c := &clockwork{times: []float64{9, 1, 2, 3}} // the first warms up
	got, err := Protocol{Generations: 5, Least: 3, Most: 3}.Measure(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if got.Generations != 5 || got.Realisations != 3 || math.Abs(got.Seconds-2) > 1e-12 || got.Clock != "device" ||
		got.Joules != nil {
		t.Errorf("got %+v", got)
	}
	if want := 1 / math.Sqrt(3); got.StdErr == nil || math.Abs(*got.StdErr-want) > 1e-12 {
		t.Errorf("standard error %v, want %v", got.StdErr, want)
	}
	m := Measurement{Width: 10, Height: 4}
	got.Fill(&m)
	if m.CellsPerSec != 20 || m.Seconds != got.Seconds || m.Generations != 5 || m.Realisations != 3 {
		t.Errorf("filled %+v", m)
	}
}

// Realisations end with the wanted error, and never after the most.
func TestMeasureUntilKnown(t *testing.T) {
	steady := &clockwork{times: []float64{1}}
	if got, _ := (Protocol{Generations: 1, Least: 4, Most: 32, RelativeError: 0.01}).
		Measure(t.Context(), steady); got.Realisations != 4 {
		t.Errorf("%d realisations of a steady method, want 4", got.Realisations)
	}
	wild := &clockwork{times: []float64{1, 100}}
	if got, _ := (Protocol{Generations: 1, Least: 4, Most: 32, RelativeError: 0.01}).
		Measure(t.Context(), wild); got.Realisations != 32 {
		t.Errorf("%d realisations of a wild method, want 32", got.Realisations)
	}
}

func TestMeasureFindsGenerations(t *testing.T) {
	c := &clockwork{times: []float64{0.01}}
	got, _ := Protocol{Time: 1, Least: 1, Most: 1}.Measure(t.Context(), c)
	if got.Generations < 100 || got.Generations > 800 {
		t.Errorf("%d generations for 1 s of 10 ms each", got.Generations)
	}
	if got.StdErr != nil {
		t.Errorf("standard error %v of one realisation", *got.StdErr)
	}
	got, _ = Protocol{Time: 1, MostRun: 7, Least: 1}.Measure(t.Context(), c)
	if got.Generations != 7 {
		t.Errorf("%d generations, want no more than 7", got.Generations)
	}
}

// Where time is short there are fewer generations a realisation, then no more realisations than the least.
func TestMeasureWithinLimit(t *testing.T) {
	for _, c := range []struct {
		seconds, known            float64 // of a step
		generations, realisations int
		steps                     []int
	}{
		{0.01, 0, 25, 3, []int{1, 25, 25, 25, 25}},
		{10, 0, 1, 2, []int{1, 1, 1}},
		{0.2, 0, 2, 2, []int{1, 2, 2, 2}},
		{0.2, 0.2, 2, 2, []int{2, 2}},
	} {
		work := &clockwork{times: []float64{c.seconds}}
		p := Protocol{Generations: 25, Least: 2, Most: 3, RelativeError: -1, Limit: 1, Known: c.known}
		got, err := p.Measure(t.Context(), work)
		if err != nil {
			t.Fatal(err)
		}
		if got.Generations != c.generations || got.Realisations != c.realisations || !slices.Equal(work.steps, c.steps) {
			t.Errorf("%v s a step: %d generations, %d realisations, steps %v, want %+v", c.seconds, got.Generations,
				got.Realisations, work.steps, c)
		}
		if len(got.Each) != got.Realisations {
			t.Errorf("single realisations %v", got.Each)
		}
	}
}

func TestMeasureEnergy(t *testing.T) {
	c := &clockwork{times: []float64{1}}
	used := 0.0
	meter := func() (float64, bool) { used += 30; return used, true }
	got, _ := Protocol{Generations: 3, Least: 1, Energy: meter}.Measure(t.Context(), c)
	if got.Joules == nil || *got.Joules != 10 {
		t.Errorf("joules %v, want 10", got.Joules)
	}
	// The energy of a settled soup is not that of its generations: the meter gives 30 J a reading at any rate of
	// generations.
	settling := Protocol{Generations: 3, Least: 1, Energy: meter, EnergyTime: 1e-3, Settles: true}
	if got, _ := settling.Measure(t.Context(), c); got.Joules == nil || *got.Joules <= 30 {
		t.Errorf("joules %v by power, want some tens of thousands: a second's", got.Joules)
	}
	none := func() (float64, bool) { return 0, false }
	if got, _ := (Protocol{Generations: 3, Least: 1, Energy: none}).Measure(t.Context(), c); got.Joules != nil {
		t.Errorf("joules %v without a meter", *got.Joules)
	}
}

func TestMeasureStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := &clockwork{times: []float64{1}}
	stop := func(realisation int) error {
		if realisation == 2 {
			cancel()
		}
		return nil
	}
	_, err := Protocol{Generations: 1, Least: 10, Before: stop}.Measure(ctx, c)
	if !errors.Is(err, context.Canceled) || len(c.steps) != 4 {
		t.Errorf("%v after %d steps", err, len(c.steps))
	}
	failure := errors.New("no soup")
	fail := func(int) error { return failure }
	if _, err := (Protocol{Generations: 1, Before: fail}).Measure(t.Context(), c); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
}

// A run that goes on in a folder leaves out the rows that the folder has, also if their method names neither a rule
// nor a device.
func TestRowsAreNotMeasuredAgain(t *testing.T) {
	folder, opened := t.TempDir(), 0
	for _, m := range []Measurement{
		{Method: "plain", Width: 8, Height: 4},
		{Method: "full", Width: 8, Height: 4, Rule: "B36/S23", Device: "a card"},
	} {
		for range 2 {
			r, err := Start("fujita", Options{Folder: folder})
			if err != nil {
				t.Fatal(err)
			}
			open := func() (Stepper, error) { opened++; return &clockwork{times: []float64{1}}, nil }
			err = r.Measure(t.Context(), m, nil, Protocol{Generations: 1, Least: 1, Most: 1}, open, nil)
			if err = errors.Join(err, r.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if opened != 2 {
		t.Errorf("measured %d times, want each of two rows once", opened)
	}
}

func TestParameters(t *testing.T) {
	m := Measurement{Parameters: Parameters{"t": 8, "block": 64, "words": "double"}.String()}
	if want := "block=64 t=8 words=double"; m.Parameters != want {
		t.Errorf("got %q, want %q", m.Parameters, want)
	}
	if m.Parameter("words") != "double" || m.Parameter("word") != "" {
		t.Errorf("words %q, word %q", m.Parameter("words"), m.Parameter("word"))
	}
	if n, ok := m.Number("t"); n != 8 || !ok {
		t.Errorf("t %v, %v", n, ok)
	}
	if _, ok := m.Number("words"); ok {
		t.Error("words is a number")
	}
}
