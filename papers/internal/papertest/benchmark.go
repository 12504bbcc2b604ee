package papertest

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/soup"
)

// sideVariable is the environment variable that sets the side of the torus of Benchmark.
const sideVariable = "GOSPER_SIDE"

// Benchmark reports the cells a second on a half-full torus of 16384², in steps of the given number of generations.
// It uses the device's clock if the device has one.
func Benchmark(b *testing.B, open Opener, generations int) {
	side := 16384
	if text := os.Getenv(sideVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		side = n
	}
	g, err := grid.New(side, side, 1)
	if err != nil {
		b.Fatal(err)
	}
	if err := soup.Fill(b.Context(), g, side, side, 1, 0.5, 0, nil); err != nil {
		b.Fatal(err)
	}
	s, err := open(side, side)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if err := s.Load(g); err != nil {
		b.Fatal(err)
	}
	if err := s.Step(generations); err != nil { // to warm up
		b.Fatal(err)
	}
	seconds := 0.0
	for b.Loop() {
		var took float64
		if timed, ok := s.(experiment.DeviceTimed); ok {
			took, err = timed.StepTimed(generations)
		} else {
			begin := time.Now()
			err = s.Step(generations)
			took = time.Since(begin).Seconds()
		}
		if err != nil {
			b.Fatal(err)
		}
		seconds += took
	}
	b.ReportMetric(float64(side)*float64(side)*float64(generations)*float64(b.N)/seconds, "cells/s")
}
