package gosper

import (
	"context"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/tables"
	"github.com/gosper-life/gosper/ensemble/worker"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
)

// Identify identifies a pattern: its apgcode, period and speed. The name is one that OpenPattern accepts. It
// fails if the pattern cannot be read, and for rules that Census does not accept.
func Identify(name string) (census.Object, error) {
	p, err := origin.OpenPattern(context.Background(), name, pattern.Options{})
	if err != nil {
		return census.Object{}, err
	}
	notation := p.Rule
	if notation == "" {
		notation = origin.DefaultRule
	}
	r, _, err := rule.ParseApart(notation)
	if err != nil {
		return census.Object{}, err
	}
	cells, err := census.CellsOf(p.Cells)
	if err != nil {
		return census.Object{}, err
	}
	counter, err := census.NewCounter(r, census.DefaultLimits)
	if err != nil {
		return census.Object{}, err
	}
	if err := counter.CheckGeneration(p.Generation); err != nil {
		return census.Object{}, fmt.Errorf("%s: %w", name, err)
	}
	return counter.Identify(cells), nil
}

// Census runs soups of a rule until they settle, and counts the objects that are left. The rule must be one of
// two states or Generations, of radius up to 6, as census.NewCounter says. soups is the number of soups, at least 1.
// Their seeds follow from root as in Catagolue's hauls; symmetry is one of census.Symmetries ("C1" has none). The same
// arguments give the same result. When ctx ends, Census returns the census of the soups finished so far, and
// ctx.Err().
func Census(ctx context.Context, notation, root, symmetry string, soups uint64) (*census.Result, error) {
	r, err := rule.Parse(notation)
	if err != nil {
		return nil, err
	}
	s, err := census.ParseSymmetry(symmetry)
	if err != nil {
		return nil, err
	}
	search := &census.Search{Rule: r, Root: root, Symmetry: s, Soups: soups}
	return search.Run(ctx)
}

// Ensemble measures many independent universes, as spec says, on all cores or on the GPUs that engine names. It
// keeps results in the folder dir. If it is interrupted or repeated, it computes only the missing results. At
// the end it writes the tables of docs/ensembles.md to dir as CSV files, and returns them.
func Ensemble(ctx context.Context, spec ensemble.Spec, engine, dir string) (ensemble.Data, error) {
	study, err := spec.Check()
	if err != nil {
		return ensemble.Data{}, err
	}
	pool, err := worker.NewPool(engine)
	if err != nil {
		return ensemble.Data{}, err
	}
	defer pool.Close()
	results, err := queue.OpenResults(dir)
	if err != nil {
		return ensemble.Data{}, err
	}
	defer results.Close()
	var tasks []queue.Task
	for j := range study.Jobs() {
		tasks = append(tasks, queue.Task{Key: j.Key(), Payload: j.Encode()})
	}
	do := func() queue.Do { return pool.New().Do }
	if _, err := queue.Local(ctx, tasks, results, do, queue.Options{}); err != nil {
		return ensemble.Data{}, err
	}
	if failures, err := results.Failures(); err != nil || len(failures) > 0 {
		return ensemble.Data{}, errors.Join(err, failed(failures))
	}
	if _, err := tables.Merge(ctx, study, kept{results}, false, tables.Output{Dir: dir, Ext: ".csv"}); err != nil {
		return ensemble.Data{}, err
	}
	return tables.Read(dir)
}

func failed(failures []queue.Failure) error {
	if len(failures) == 0 {
		return nil
	}
	return fmt.Errorf("%d jobs failed, the first: %v", len(failures), failures[0])
}

// kept is the results in a folder in the form that a merge needs. A job that was done twice has equal results.
type kept struct{ *queue.Results }

// Load implements tables.Store.
func (k kept) Load(_ context.Context, key string) ([]byte, error) {
	all, err := k.Results.Load(key)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, fmt.Errorf("the result of job %s is missing", key)
	}
	return all[0], nil
}
