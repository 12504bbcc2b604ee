package session

import "testing"

// TestSeriesThinsOut: of any number of samples only a few are kept, spread evenly from the first to the last.
func TestSeriesThinsOut(t *testing.T) {
	var s series
	const last = 1_000_003
	for g := uint64(0); g <= last; g += 7 {
		s.Add(Sample{Generation: g, Population: g})
	}
	s.Add(Sample{Generation: last, Population: 1})
	all := s.All()
	if n := len(all); n < maxSamples/4 || n > maxSamples+1 {
		t.Errorf("%d samples", n)
	}
	if first, end := all[0], all[len(all)-1]; first.Generation != 0 || end.Generation != last {
		t.Errorf("from generation %d to %d", first.Generation, end.Generation)
	}
	for i := range all[:len(all)-2] {
		gap := all[i+1].Generation - all[i].Generation
		if gap == 0 || gap > 16*last/maxSamples {
			t.Fatalf("samples %d and %d are %d generations apart", i, i+1, gap)
		}
	}
	s.Cut(last / 2)
	if all = s.All(); all[len(all)-1].Generation > last/2 {
		t.Errorf("cut at %d, the last is %d", last/2, all[len(all)-1].Generation)
	}
	s.Cut(0)
	s.Add(Sample{Generation: 3})
	if all = s.All(); len(all) != 2 || all[1].Generation != 3 || len(s.samples) != 2 {
		t.Errorf("after a reset: %+v", all)
	}
}
