package ensemble

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/gosper-life/gosper/result"
)

// Data is the merged results of an ensemble.
type Data struct {
	Universes []Universe
	Samples   []Sample
	Clusters  []ClusterSize // none where clusters were not measured
	Census    []Object      // likewise of the census
	Summary   []Summary
	Survival  []Survival // likewise of settling
	Lifespans []Lifespan // likewise
}

// Incomplete is the error of a merge that lacks results.
type Incomplete struct {
	Missing, Jobs int
	First         string // in words
}

func (e *Incomplete) Error() string {
	return fmt.Sprintf("%d of %d jobs have no result yet, the first %s", e.Missing, e.Jobs, e.First)
}

// Merge puts the results of all jobs together. load returns the encoded result of a job by its hash, or an error that wraps
// fs.ErrNotExist. Results that are missing are an error, *Incomplete, unless partial is set: then the rest is merged.
func (p *Plan) Merge(load func(hash string) ([]byte, error), partial bool) (Data, error) {
	var d Data
	var lacks Incomplete
	var objects []ObjectSum
	for j := range p.Jobs() {
		lacks.Jobs++
		hash := j.Hash()
		encoded, err := load(hash)
		if errors.Is(err, fs.ErrNotExist) {
			if lacks.Missing++; lacks.Missing == 1 {
				lacks.First = j.String()
			}
			continue
		} else if err != nil {
			return Data{}, err
		}
		r, err := DecodeResult(encoded)
		if err == nil && (r.Hash != hash || len(r.Universes) != j.Count || len(r.Samples) != j.Count*len(p.times)) {
			err = errors.New("not the result of this job")
		}
		if err != nil {
			return Data{}, fmt.Errorf("result %s of %v: %w", hash, j, err)
		}
		d.Universes = append(d.Universes, r.Universes...)
		d.Samples = append(d.Samples, r.Samples...)
		d.Clusters = append(d.Clusters, r.Clusters...)
		objects = append(objects, r.Objects...)
	}
	if lacks.Missing > 0 && !partial {
		return Data{}, &lacks
	}
	if p.measures.clusters {
		d.Clusters = addUp(d.Clusters, d.Universes)
	}
	if p.measures.census {
		d.Census = censusOf(objects, d.Universes)
	}
	p.summarise(&d)
	return d, nil
}

// addUp makes one row of those for the same size at the same place and generation. Rows of one place lie together.
func addUp(rows []ClusterSize, universes []Universe) []ClusterSize {
	number := map[Place]uint64{}
	order := map[Place]int{}
	for _, u := range universes {
		if number[u.Place] == 0 {
			order[u.Place] = len(order)
		}
		number[u.Place]++
	}
	slices.SortStableFunc(rows, func(a, b ClusterSize) int {
		return cmp.Or(cmp.Compare(order[a.Place], order[b.Place]), cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.Size, b.Size))
	})
	sums := []ClusterSize{}
	for _, row := range rows {
		row.Universes = number[row.Place]
		if n := len(sums); n > 0 && sums[n-1].Place == row.Place && sums[n-1].Generation == row.Generation && sums[n-1].Size == row.Size {
			last := &sums[n-1]
			last.Clusters += row.Clusters
			last.Squares += row.Squares
			last.Largest += row.Largest
			continue
		}
		sums = append(sums, row)
	}
	return sums
}

// Write stores the tables in a folder, one file each, in the format that ext names (see result.Formats), and returns their names.
func (d Data) Write(dir, ext string) ([]string, error) {
	w := writer{dir: dir, ext: ext}
	write(&w, "universes", d.Universes, true)
	write(&w, "samples", d.Samples, true)
	write(&w, "summary", d.Summary, true)
	write(&w, "clusters", d.Clusters, d.Clusters != nil)
	write(&w, "census", d.Census, d.Census != nil)
	write(&w, "survival", d.Survival, d.Survival != nil)
	write(&w, "lifespans", d.Lifespans, d.Lifespans != nil)
	return w.names, w.err
}

type writer struct {
	dir, ext string
	names    []string
	err      error
}

func write[T any](w *writer, name string, rows []T, measured bool) {
	if w.err != nil || !measured {
		return
	}
	w.names = append(w.names, name+w.ext)
	w.err = result.Write(filepath.Join(w.dir, name+w.ext), rows)
}
