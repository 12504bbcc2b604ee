package session_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/topology"
)

// BenchmarkFrames plays a soup of 1024² cells, seen whole and close, as fast as it goes or 60 steps a second,
// for a viewer that takes 60 frames a second.
func BenchmarkFrames(b *testing.B) {
	for _, steps := range []float64{60, 0} {
		for _, view := range []scene.Region{{Scale: 1, W: 512, H: 512}, {X: 400, Y: 400, W: 160, H: 100}} {
			b.Run(fmt.Sprintf("%v steps a second, scale %d", steps, view.Scale), func(b *testing.B) {
				ctx := context.Background()
				s, err := session.New(ctx, open, soupOf(b, config(b, "B3/S23", topology.Torus, 1024, 1024), 1024))
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				speed := session.Speed{}
				if steps > 0 {
					speed = session.Speed{Step: 1, PerSecond: steps}
				}
				if err := s.SetSpeed(ctx, speed); err != nil {
					b.Fatal(err)
				}
				if err := s.Play(ctx); err != nil {
					b.Fatal(err)
				}
				var f session.Frame
				first := s.Status().Generation
				begin := time.Now()
				var spent time.Duration
				for due := begin; b.Loop(); due = due.Add(time.Second / 60) {
					time.Sleep(time.Until(due))
					from := time.Now()
					if err := s.Frame(ctx, view, f.Status.Version, &f); err != nil {
						b.Fatal(err)
					}
					spent += time.Since(from)
				}
				seconds := time.Since(begin).Seconds()
				b.ReportMetric(float64(b.N)/seconds, "frames/s")
				b.ReportMetric(float64(s.Status().Generation-first)/seconds, "generations/s")
				b.ReportMetric(spent.Seconds()*1000/float64(b.N), "ms/frame")
			})
		}
	}
}
