package run

import "testing"

func TestTimeLeft(t *testing.T) {
	for _, c := range []struct {
		generations   uint64
		perGeneration float64
		want          string
	}{
		{100, 0.5, ""},
		{120, 0.5, "at 2.00 generations/s the remaining 120 generations take about 1 minute; --engine hashlife may be much faster"},
		{1200, 0.5, "at 2.00 generations/s the remaining 1,200 generations take about 10 minutes; --engine hashlife may be much faster"},
		{1e12, 1e-6, "at 1.00 Mgenerations/s the remaining 1,000,000,000,000 generations take about 11 days; --engine hashlife may be much faster"},
		{1e19, 1e-7, "at 10.0 Mgenerations/s the remaining 10,000,000,000,000,000,000 generations take about 31,688 years; --engine hashlife may be much faster"},
	} {
		if got := timeLeft(c.generations, c.perGeneration); got != c.want {
			t.Errorf("%d generations of %v s: %q, want %q", c.generations, c.perGeneration, got, c.want)
		}
	}
}
