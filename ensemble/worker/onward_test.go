package worker

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/ensemble"
)

// resultsOf does all jobs of a study. Jobs that go on use the results in the folder.
func resultsOf(t rapid.TB, p *ensemble.Study, w *Worker, there map[string][]byte) (all map[string][]byte, wentOn int) {
	t.Helper()
	all = map[string][]byte{}
	for j := range p.Jobs() {
		if j.From != "" {
			wentOn++
			j.Earlier = there[j.From]
		}
		data, err := w.Do(context.Background(), j.Encode())
		if err != nil {
			t.Fatal(err)
		}
		all[j.Key()] = data
	}
	return all, wentOn
}

func keysOf(results map[string][]byte) (keys []string) {
	for key := range results {
		keys = append(keys, key)
	}
	return keys
}

// onward is an ensemble that begins with fewer generations, and once more.
type onward struct {
	spec  ensemble.Spec
	stops []uint64
}

// rulesThatGoOn are of every kind, with places where they run and measures that are for them alone.
var rulesThatGoOn = []struct {
	rule, size string
	measures   []string
	chance     bool
}{
	{"B3/S23", "16", []string{"autocorrelation", "damage", "patterns", "structure"}, false},
	{"B36/S23", "T20+3,10", []string{"damage"}, false},
	{"B2/S345/4", "P12,9", []string{"autocorrelation", "damage"}, false},
	{"R2,C0,M1,S3..8,B5..8,NM", "K20*,16", nil, false},
	{"B0/S8", "P9,14", []string{"damage"}, false}, // alternates
	{"bbm", "P16,16", nil, false},                 // blocks of 2×2
	{"B3/S23~flip=0.05", "16", []string{"damage", "autocorrelation"}, true},
	{"B3/S23~async=0.5,seed=4", "P10,8", []string{"damage"}, true},
	{"B2/S345/4~set2=0.01", "12", []string{"damage"}, true},
	{"Ising~T=2.3", "8", []string{"energy", "magnetisation", "damage"}, true},
	{"Potts~q=3,T=1", "8", []string{"autocorrelation"}, true},
	{"Sandpile~p=0.01", "P9,9", []string{"avalanches"}, true},
	{"Contact~lambda=2,dt=0.1", "10", []string{"spreading"}, true},
}

func drawOnward(t *rapid.T) onward {
	kind := rapid.SampledFrom(rulesThatGoOn).Draw(t, "kind")
	measures := append([]string{"activity", "entropy", "correlation", "clusters", "kinetics", "percolation"}, kind.measures...)
	if !kind.chance {
		measures = append(measures, "settling")
	}
	stops := rapid.SliceOfNDistinct(rapid.Uint64Range(0, 40), 2, 3, rapid.ID).Draw(t, "stops")
	slices.Sort(stops)
	s := ensemble.Spec{
		Rules: []string{kind.rule}, Sizes: []string{kind.size}, Universes: rapid.IntRange(1, 6).Draw(t, "universes"),
		PerJob:    rapid.IntRange(1, 4).Draw(t, "of a job"),
		Densities: ensemble.Densities{0.3}, Every: rapid.Uint64Range(0, 9).Draw(t, "every"), Keep: true,
	}
	for _, m := range measures {
		if rapid.Bool().Draw(t, m) {
			s.Measures = append(s.Measures, m)
		}
	}
	if slices.Contains(s.Measures, "settling") {
		s.Cap = 1000
	}
	if slices.Contains(s.Measures, "patterns") {
		s.Count = []string{"xs4_33"}
	}
	if slices.Contains(s.Measures, "damage") && rapid.Bool().Draw(t, "later") {
		s.DamageAt = rapid.Uint64Range(0, stops[0]).Draw(t, "damaged at")
	}
	if rapid.Bool().Draw(t, "dumped") {
		s.Dump, s.DumpUniverses = "0", "0..1"
	}
	if s.Every == 0 && slices.Contains(s.Measures, "autocorrelation") {
		s.Times = []uint64{0}
	}
	return onward{s, stops}
}

// to is the study up to a stop, with further samples and dumps at each stop up to that one.
func (o onward) to(t rapid.TB, stop int) *ensemble.Study {
	t.Helper()
	s := o.spec
	s.Generations = o.stops[stop]
	for _, g := range o.stops[:stop+1] {
		s.Times = append(slices.Clip(s.Times), g)
	}
	p, err := s.Check()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGoingOn: an ensemble that goes on from kept states has, byte for byte, the results of one that ran all
// generations at once. This holds for rules and measures of all kinds, on all engines, and also if the ensemble goes
// on twice or has more universes than before.
func TestGoingOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOnward(t)
		engine := func() *Worker {
			return &Worker{
				Engine:  rapid.SampledFrom([]string{"reference", "cpu", "auto"}).Draw(t, "engine"),
				Threads: rapid.IntRange(1, 2).Draw(t, "threads"),
			}
		}
		there := map[string][]byte{}
		var earlier []*ensemble.Study
		for stop := range o.stops {
			p := o.to(t, stop)
			w := engine()
			p.Adopt(keysOf(there), earlier...)
			got, wentOn := resultsOf(t, p, w, there)
			w.Close()
			if stop > 0 && (wentOn == 0 || o.spec.Universes == earlier[len(earlier)-1].Spec.Universes && wentOn != len(got)) {
				t.Fatalf("%d of %d jobs went on", wentOn, len(got))
			}
			w = engine()
			for key, data := range got {
				var j ensemble.Job
				for j = range p.Jobs() {
					if j.Key() == key {
						break
					}
				}
				j.From = ""
				want, err := w.Do(context.Background(), j.Encode())
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(want, data) {
					t.Fatalf("%v, %v: the result differs from that of a run to the end", o, j)
				}
				there[key] = data
			}
			w.Close()
			earlier = append(earlier, p)
			o.spec.Universes += rapid.IntRange(0, 2).Draw(t, "more universes")
		}
	})
}

// TestGoingOnFromOthers: a result of another job, a result without states and bytes that are not a result are
// refused.
func TestGoingOnFromOthers(t *testing.T) {
	spec := ensemble.Spec{Rules: []string{"life"}, Sizes: []string{"16"}, Universes: 2, Generations: 5, Keep: true}
	job := func(change func(s *ensemble.Spec)) ensemble.Job {
		s := spec
		change(&s)
		p, err := s.Check()
		if err != nil {
			t.Fatal(err)
		}
		for j := range p.Jobs() {
			return j
		}
		t.Fatal("no job")
		return ensemble.Job{}
	}
	var w Worker
	defer w.Close()
	for name, change := range map[string]func(s *ensemble.Spec){
		"other universes": func(s *ensemble.Spec) { s.Root = "2" },
		"has no last":     func(s *ensemble.Spec) { s.Keep = false },
		"no sample of":    func(s *ensemble.Spec) { s.Times = []uint64{2} },
		"not a result":    nil,
	} {
		on := job(func(s *ensemble.Spec) { s.Generations, s.Times = 9, []uint64{3, 9} })
		on.From = "nothing"
		if change != nil {
			from := job(change)
			data, err := w.Do(t.Context(), from.Encode())
			if err != nil {
				t.Fatal(err)
			}
			on.From, on.Earlier = from.Key(), data
		}
		if _, err := w.Do(t.Context(), on.Encode()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
