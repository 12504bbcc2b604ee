package component

import (
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/topology"
)

// BenchmarkJoiner closes a torus of 4096×4096 cells whose edges are half full: what a GPU leaves for the processor.
func BenchmarkJoiner(b *testing.B) {
	const n = 4096
	t := topology.Topology{Kind: topology.Torus, W: n, H: n}
	r := rand.New(rand.NewPCG(1, 2))
	p := &Part{}
	label := func() int32 {
		if r.IntN(2) == 0 {
			return -1
		}
		if r.IntN(3) > 0 {
			return 0
		}
		return int32(r.IntN(3000))
	}
	for range n {
		p.Top, p.Bottom = append(p.Top, label()), append(p.Bottom, label())
		p.Left, p.Right = append(p.Left, label()), append(p.Right, label())
	}
	p.Left[0], p.Right[0] = p.Top[0], p.Top[n-1]
	p.Left[n-1], p.Right[n-1] = p.Bottom[0], p.Bottom[n-1]
	for range 3000 {
		p.Edge = append(p.Edge, 5)
	}
	for b.Loop() {
		j, err := NewJoiner(t, Eight)
		if err != nil {
			b.Fatal(err)
		}
		if err := j.Add(p); err != nil {
			b.Fatal(err)
		}
		if _, err := j.Clusters(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSpan closes a torus of 1024×1024 cells at the threshold of percolation, and says what it spans.
func BenchmarkSpan(b *testing.B) {
	const n = 1024
	t := topology.Topology{Kind: topology.Torus, W: n, H: n}
	r := rand.New(rand.NewPCG(1, 2))
	p := &Part{}
	side := func() []int32 {
		side := make([]int32, n)
		label := int32(none)
		for i := range side {
			switch live := r.Float64() < 0.593; {
			case !live:
				label = none
			case label == none && r.IntN(2) == 0: // a new cluster, most are small
				label = int32(len(p.Edge))
				p.Edge = append(p.Edge, 0)
			case label == none:
				label = int32(r.IntN(len(p.Edge) + 1))
				p.Edge = append(p.Edge, 0)
			}
			side[i] = label
		}
		return side
	}
	p.Top, p.Bottom, p.Left, p.Right = side(), side(), side(), side()
	p.Left[0], p.Right[0] = p.Top[0], p.Top[n-1]
	p.Left[n-1], p.Right[n-1] = p.Bottom[0], p.Bottom[n-1]
	for b.Loop() {
		if _, err := p.Span(t, Four); err != nil {
			b.Fatal(err)
		}
	}
}
