package dashboard

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/ensemble/folder"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/tables"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/internal/result"
)

// look is a summary of an ensemble, which may still run.
type look struct {
	Hash            string
	Universes, Jobs int // of the whole ensemble
	Done, Parked    int // jobs
	Workers         []worker
	Data            ensemble.Data       // of the universes that are done
	Each            []ensemble.Universe // these universes
	Patterns        map[string]string   // of starts, by name
}

// store is the results of a folder.
type store struct{ *queue.Results }

// Load implements tables.Store.
func (s store) Load(_ context.Context, key string) ([]byte, error) {
	return folder.Load(key, s.Results)
}

// lookAt looks at the ensemble in a folder without changing it. It merges the finished jobs into files of the folder
// into. If the number of finished jobs is equal to known, nothing has changed and the result has no data.
func lookAt(ctx context.Context, dir, into string, known int) (*look, error) {
	study, err := folder.Study(dir)
	if err != nil {
		return nil, console.Bad(err)
	}
	results, err := queue.OpenResults(dir)
	if err != nil {
		return nil, err
	}
	from := store{results}
	if err := folder.Adopt(study, results); err != nil {
		return nil, err
	}
	l := &look{Hash: study.Hash(), Universes: study.Universes(), Patterns: study.Spec.Patterns}
	shares := map[string]worker{}
	for j := range study.Jobs() {
		l.Jobs++
		if !from.Has(j.Key()) {
			continue
		}
		l.Done++
		name, _ := from.Worker(j.Key())
		s := shares[name]
		shares[name] = worker{name, s.Jobs + 1, s.Universes + j.Count}
	}
	for _, s := range shares {
		l.Workers = append(l.Workers, s)
	}
	slices.SortFunc(l.Workers, func(a, b worker) int { return cmp.Or(b.Jobs-a.Jobs, cmp.Compare(a.Name, b.Name)) })
	failures, err := from.Failures()
	if err != nil {
		return nil, err
	}
	if l.Parked = len(failures); l.Done == 0 || l.Done == known {
		return l, nil
	}
	if _, err := tables.Merge(ctx, study, from, true, tables.Output{
		Dir: into, Ext: ".csv", Samples: -1,
		NoCells: true,
	}); err != nil {
		return nil, err
	}
	if l.Data, err = tables.Read(into); err != nil {
		return nil, err
	}
	l.Each, err = result.Read[ensemble.Universe](filepath.Join(into, "universes.csv"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return l, err
}
