package census

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	_ "github.com/gosper-life/gosper/census/cuda"
	"github.com/gosper-life/gosper/internal/gpu"
)

// gpuOrSkip skips a test if there is no GPU.
func gpuOrSkip(t testing.TB) {
	t.Helper()
	dev, err := gpu.Open(0)
	if none := new(gpu.Unavailable); errors.As(err, &none) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = dev.Close()
}

// TestGPU compares censuses on a GPU with those on the processor.
func TestGPU(t *testing.T) {
	gpuOrSkip(t)
	for _, test := range []struct {
		rule, symmetry string
		soups          uint64
	}{{"B3/S23", "C1", 100000}, {"B3/S23", "C2_4", 10000}, {"B36/S23", "C1", 3000}, {"B3/S12", "C1", 3000}} {
		symmetry, err := ParseSymmetry(test.symmetry)
		if err != nil {
			t.Fatal(err)
		}
		s := Search{Rule: parseRule(t, test.rule), Root: "gpu", Symmetry: symmetry, Soups: test.soups, Engine: "cpu"}
		want, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.Engine = "cuda"
		got, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Result{}, "GPU")); diff != "" {
			t.Errorf("%v: %s", test, diff[:min(len(diff), 2000)])
		}
	}
}

// BenchmarkEngines measures a census on a GPU and on the processor.
func BenchmarkEngines(b *testing.B) {
	for _, run := range []struct {
		engine  string
		threads int
		soups   uint64
	}{{"cuda", 16, 1 << 22}, {"cuda", 8, 1 << 21}, {"cuda", 1, 1 << 18}, {"cpu", 16, 1 << 19}, {"cpu", 1, 1 << 15}} {
		b.Run(fmt.Sprintf("%s/%d", run.engine, run.threads), func(b *testing.B) {
			if run.engine == "cuda" {
				gpuOrSkip(b)
			}
			for b.Loop() {
				s := Search{Rule: parseRule(b, "B3/S23"), Root: "speed", Soups: run.soups, Threads: run.threads, Engine: run.engine}
				if _, err := s.Run(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(run.soups)*float64(b.N)/b.Elapsed().Seconds(), "soups/s")
		})
	}
}
