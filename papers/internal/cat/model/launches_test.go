package model_test

import (
	"math"
	"testing"

	"github.com/gosper-life/gosper/papers/internal/cat"
	"github.com/gosper-life/gosper/papers/internal/cat/model"
)

func TestLaunches(t *testing.T) {
	for _, c := range []struct {
		radius, generations    int
		share, bytes, products float64
	}{
		{1, 1, 112 * 62 / 8192., 2, 2 / 128. * 8192 / (112 * 62)},
		{1, 8, 112 * 48 / 8192., 0.25, 2 / 128. * 8192 / (112 * 48)},
		{4, 4, 96 * 32 / 8192., 0.5, 2 / 128. * 8192 / (96 * 32)},
		{16, 1, 96 * 32 / 8192., 2, 4 / 128. * 8192 / (96 * 32)},
	} {
		got := model.Temporal(c.radius, c.generations)
		near := func(got, want float64) bool { return math.Abs(got/want-1) < 1e-12 }
		if !near(got.Share, c.share) || !near(got.Bytes, c.bytes) || !near(got.Products, c.products) {
			t.Errorf("radius %d, %d generations: %+v, want %+v", c.radius, c.generations, got, c)
		}
	}
	speed := func(radius, generations int) float64 { return model.H100.Speed(model.Temporal(radius, generations)) }
	// Memory is the limit of one generation a launch and products of many. A best number is in between.
	for radius, best := range map[int]int{1: 5, 2: 4, 4: 3, 5: 3, 8: 2, 16: 1} {
		most := cat.Temporal.MostGenerations(radius)
		if memory, products := model.H100.Limits(model.Temporal(radius, 1)); memory >= products {
			t.Errorf("radius %d, one generation: memory allows %.3g cells a second, products %.3g", radius, memory, products)
		}
		if memory, products := model.H100.Limits(model.Temporal(radius, most)); most > 1 && memory <= products {
			t.Errorf("radius %d, %d generations: memory allows %.3g, products %.3g", radius, most, memory, products)
		}
		for n := 1; n <= most; n++ {
			if speed(radius, n) > speed(radius, best) {
				t.Errorf("radius %d: %d generations a launch are faster than %d: %.4g and %.4g cells a second",
					radius, n, best, speed(radius, n), speed(radius, best))
			}
		}
	}
	for radius := 1; radius <= 16; radius++ {
		pays := cat.Temporal.MostGenerations(radius) > 1 && speed(radius, 2) > speed(radius, 1)
		if pays != (radius <= 8) {
			t.Errorf("radius %d: %.4g cells a second at two generations a launch, %.4g at one",
				radius, speed(radius, 2), speed(radius, 1))
		}
	}
}
