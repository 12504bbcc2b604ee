package cpu

import (
	"testing"

	"github.com/gosper-life/gosper/sim/simtest"
)

// TestVolumes runs the suite of three dimensions under the engine's own plans and under some it would not choose.
func TestVolumes(t *testing.T) {
	plans := []string{
		"",
		"portable,bands,slabs=1,depth=3,threads=1",
		"avx2,bands,slabs=2,depth=2,threads=1",
		"avx512,bands,slabs=1,depth=1,threads=2",
		"avx512,bands,slabs=8,depth=2,threads=1",
		"neon,bands,slabs=4,depth=3,threads=1",
		"simd128,bands,slabs=2,depth=2,threads=1",
	}
	simtest.Run(t, open, simtest.Options{Plans: runnable(t, plans), Volumes: true})
}
