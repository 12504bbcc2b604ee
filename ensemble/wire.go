package ensemble

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/gosper-life/gosper/component"
)

// wire is a result as it is kept and sent: samples by columns, without what follows from the rest. Columns go through the samples of the
// first universe, then of the next; those not measured are empty.
type wire struct {
	Hash      string        `json:"hash"`
	Times     []uint64      `json:"times"` // the same for every universe
	Universes []Universe    `json:"universes"`
	Clusters  []ClusterSize `json:"clusters"`
	Objects   []ObjectSum   `json:"objects,omitempty"`

	Population   []uint64  `json:"population"`
	Ones         []uint64  `json:"ones"`
	Births       []uint64  `json:"births,omitempty"` // 0 at generation 0, which no step led to; likewise the next two
	Deaths       []uint64  `json:"deaths,omitempty"`
	Changed      []uint64  `json:"changed,omitempty"`
	Entropy      []float64 `json:"entropy,omitempty"`
	ClusterCount []uint64  `json:"cluster_count,omitempty"`
	Largest      []uint64  `json:"largest,omitempty"`
	Span         []byte    `json:"span,omitempty"`  // component.Span
	Pairs        []uint64  `json:"pairs,omitempty"` // a list for each sample, all equally long
}

// Encode is the result as compressed JSON, always the same bytes for the same result and Go version.
func (r Result) Encode() ([]byte, error) {
	w := wire{Hash: r.Hash, Universes: r.Universes, Clusters: r.Clusters, Objects: r.Objects}
	active := slices.ContainsFunc(r.Samples, func(s Sample) bool { return s.Births != nil })
	for i := range r.Samples {
		s := &r.Samples[i]
		if s.Index == r.Samples[0].Index {
			w.Times = append(w.Times, s.Generation)
		}
		w.add(s, active)
	}
	var b bytes.Buffer
	zip, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(zip).Encode(w); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (w *wire) add(s *Sample, active bool) {
	cells := float64(s.Width) * float64(s.Height)
	w.Population = append(w.Population, s.Population)
	w.Ones = append(w.Ones, uint64(math.Round(s.Density*cells)))
	if active {
		var births, deaths, changed uint64
		if s.Births != nil {
			births, deaths, changed = *s.Births, *s.Deaths, uint64(math.Round(*s.Activity*cells))
		}
		w.Births, w.Deaths, w.Changed = append(w.Births, births), append(w.Deaths, deaths), append(w.Changed, changed)
	}
	if s.Entropy != nil {
		w.Entropy = append(w.Entropy, *s.Entropy)
	}
	if s.Clusters != nil {
		w.ClusterCount, w.Largest = append(w.ClusterCount, *s.Clusters), append(w.Largest, *s.Largest)
	}
	if s.Span != nil {
		for span := range component.SpanBoth + 1 {
			if span.String() == *s.Span {
				w.Span = append(w.Span, byte(span))
			}
		}
	}
	w.Pairs = append(w.Pairs, s.Pairs...)
}

// DecodeResult reads what Encode wrote.
func DecodeResult(data []byte) (Result, error) {
	var w wire
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return Result{}, fmt.Errorf("not a result: %w", err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		return Result{}, fmt.Errorf("not a result: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&w); err != nil {
		return Result{}, fmt.Errorf("not a result of this version of gosper: %w", err)
	}
	r := Result{Hash: w.Hash, Universes: w.Universes, Clusters: w.Clusters, Objects: w.Objects}
	if err := w.check(); err != nil {
		return Result{}, err
	}
	for i, u := range w.Universes {
		for t, generation := range w.Times {
			s := Sample{Place: u.Place, Index: u.Index, Seed: u.Seed, Generation: generation}
			w.fill(&s, i*len(w.Times)+t)
			r.Samples = append(r.Samples, s)
		}
	}
	return r, nil
}

// check refuses columns of a wrong length.
func (w *wire) check() error {
	n := len(w.Universes) * len(w.Times)
	for _, length := range []int{len(w.Births), len(w.Deaths), len(w.Changed), len(w.Entropy), len(w.ClusterCount), len(w.Largest), len(w.Span)} {
		if length != 0 && length != n {
			return errors.New("not a result: columns of different lengths")
		}
	}
	if len(w.Population) != n || len(w.Ones) != n || n > 0 && len(w.Pairs)%n != 0 ||
		len(w.Births) != len(w.Deaths) || len(w.Births) != len(w.Changed) || len(w.ClusterCount) != len(w.Largest) {
		return errors.New("not a result: columns of different lengths")
	}
	return nil
}

// fill sets what was measured in sample i.
func (w *wire) fill(s *Sample, i int) {
	cells := float64(s.Width) * float64(s.Height)
	s.Population, s.Density = w.Population[i], float64(w.Ones[i])/cells
	if w.Births != nil && s.Generation > 0 {
		share := float64(w.Changed[i]) / cells
		s.Births, s.Deaths, s.Activity = &w.Births[i], &w.Deaths[i], &share
	}
	if w.Entropy != nil {
		s.Entropy = &w.Entropy[i]
	}
	if w.ClusterCount != nil {
		s.Clusters, s.Largest = &w.ClusterCount[i], &w.Largest[i]
	}
	if w.Span != nil {
		span := component.Span(w.Span[i]).String()
		s.Span = &span
	}
	if n := len(w.Pairs) / len(w.Population); n > 0 {
		s.Pairs = w.Pairs[i*n : (i+1)*n : (i+1)*n]
	}
}
