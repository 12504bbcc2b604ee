package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/bench"
	"github.com/gosper-life/gosper/queue"
	"github.com/gosper-life/gosper/result"
)

type ensembleMergeCommand struct {
	Dirs       []string `arg:"" help:"Folders of runs or shards of one ensemble."`
	Out        string   `placeholder:"DIR" help:"Folder for the merged files. Default: the first one."`
	tableFlags `embed:""`
	Partial    bool `help:"Merge what there is although jobs are missing."`
	JSON       bool `name:"json" help:"Print the summary as one JSON object."`
}

// tableFlags say what merged files to write.
type tableFlags struct {
	Format    string `enum:"parquet,csv,jsonl" default:"parquet" placeholder:"F" help:"Format of the merged files: parquet, csv or jsonl. Default: parquet."`
	NoSamples bool   `help:"Leave out the table of samples, which is longer than all others together."`
}

func (f tableFlags) output(dir string) ensemble.Output {
	return ensemble.Output{Dir: dir, Ext: "." + f.Format, NoSamples: f.NoSamples}
}

// Help is shown below the usage.
func (*ensembleMergeCommand) Help() string {
	return `Example:

    gosper ensemble merge part1 part2 part3 --out soups

A job that several folders have must have the same result in all of them.`
}

// Run implements the command.
func (cmd *ensembleMergeCommand) Run(ctx context.Context, c *console) error {
	plan, err := planOf(cmd.Dirs[0])
	if err != nil {
		return badInput{err}
	}
	for _, dir := range cmd.Dirs[1:] {
		other, err := planOf(dir)
		if err != nil {
			return badInput{err}
		}
		if other.Hash() != plan.Hash() || other.Spec.PerJob != plan.Spec.PerJob {
			return badInputf("%s and %s hold different ensembles", cmd.Dirs[0], dir)
		}
	}
	out := cmd.Out
	if out == "" {
		out = cmd.Dirs[0]
	}
	if _, err := claim(out, plan, true); err != nil {
		return err
	}
	s := ensembleSummary{Hash: plan.Hash(), Out: out, Jobs: plan.JobCount()}
	begin := time.Now()
	merged, err := mergeInto(ctx, plan, folders(cmd.Dirs), cmd.Partial, cmd.output(out), cmd.Dirs...)
	s.Files, s.Done, s.Universes = merged.Files, merged.Jobs, merged.Universes
	s.Seconds = time.Since(begin).Seconds()
	var lacks *ensemble.Incomplete
	if errors.As(err, &lacks) {
		return fmt.Errorf("%w; run the rest, or merge with --partial", err)
	}
	if err != nil {
		return err
	}
	if cmd.JSON {
		return c.printJSON(s)
	}
	c.printf("%s universes of %d jobs merged into %s\n", grouped(uint64(s.Universes)), s.Done, out)
	for _, name := range s.Files {
		c.printf("  %s\n", name)
	}
	return nil
}

// folders is the results of jobs in several folders.
type folders []string

// Has implements ensemble.Store.
func (f folders) Has(key string) bool {
	return slices.ContainsFunc(f, func(dir string) bool { return queue.Results{Dir: dir}.Has(key) })
}

// Load implements ensemble.Store. It refuses results of one job that differ.
func (f folders) Load(key string) ([]byte, error) {
	var found []byte
	var where string
	for _, dir := range f {
		data, err := queue.Results{Dir: dir}.Load(key)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case found == nil:
			found, where = data, dir
		case !ensemble.SameResult(found, data):
			return nil, fmt.Errorf("job %.12s… has different results in %s and %s", key, where, dir)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("the result of job %.12s… is gone", key)
	}
	return found, nil
}

// mergeInto writes the merged files of an ensemble and its manifest, which sums up those of the runs in the folders dirs.
func mergeInto(
	ctx context.Context, plan *ensemble.Plan, from ensemble.Store, partial bool, out ensemble.Output, dirs ...string,
) (ensemble.Merged, error) {
	merged, err := plan.Merge(ctx, from, partial, out)
	if err != nil {
		return merged, err
	}
	m := result.Manifest{
		Command: os.Args[1:], Hash: plan.Hash(), Build: result.ThisBuild(), Machine: bench.ThisMachine(),
		Workers: map[string]int{}, Files: map[string]string{},
	}
	if m.Spec, err = json.Marshal(plan.Spec); err != nil {
		return merged, err
	}
	for _, name := range merged.Files {
		if m.Files[name], err = hashOfFile(filepath.Join(out.Dir, name)); err != nil {
			return merged, err
		}
	}
	if len(dirs) == 0 {
		dirs = []string{out.Dir}
	}
	if err := addRuns(&m, dirs); err != nil {
		return merged, err
	}
	return merged, m.WriteManifest(filepath.Join(out.Dir, manifestFile))
}

// hashOfFile is the SHA-256 of a file's content, lower-case hex.
func hashOfFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// addRuns adds up what the manifests of runs say.
func addRuns(m *result.Manifest, dirs []string) error {
	for _, dir := range dirs {
		paths, err := filepath.Glob(filepath.Join(dir, runsFolder, "*.json"))
		if err != nil {
			return err
		}
		for _, path := range paths {
			run, err := result.ReadManifest(path)
			if err != nil {
				return err
			}
			if m.Started.IsZero() || run.Started.Before(m.Started) {
				m.Started = run.Started
			}
			if run.Finished.After(m.Finished) {
				m.Finished = run.Finished
			}
			if run.Engine != "" {
				m.Engine = run.Engine
			}
			m.Seconds += run.Seconds
			if run.Joules != nil {
				if m.Joules == nil {
					m.Joules = new(float64)
				}
				*m.Joules += *run.Joules
			}
			for worker, jobs := range run.Workers {
				m.Workers[worker] += jobs
			}
		}
	}
	return nil
}

type ensembleStatusCommand struct {
	Dir  string `arg:"" help:"Folder of the ensemble."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*ensembleStatusCommand) Help() string { return "Example:\n\n    gosper ensemble status soups" }

type ensembleStatus struct {
	Hash      string          `json:"hash"`
	Universes int             `json:"universes"`
	Jobs      int             `json:"jobs"`
	Done      int             `json:"done"`
	Failed    []queue.Failure `json:"failed"`
	Merged    bool            `json:"merged"`
}

// Run implements the command.
func (cmd *ensembleStatusCommand) Run(c *console) error {
	plan, err := planOf(cmd.Dir)
	if err != nil {
		return badInput{err}
	}
	results := queue.Results{Dir: cmd.Dir}
	s := ensembleStatus{Hash: plan.Hash(), Universes: plan.Universes(), Jobs: plan.JobCount(), Failed: []queue.Failure{}}
	for j := range plan.Jobs() {
		if results.Has(j.Hash()) {
			s.Done++
		}
	}
	failures, err := results.Failures()
	if err != nil {
		return err
	}
	s.Failed = append(s.Failed, failures...)
	s.Merged = exists(filepath.Join(cmd.Dir, manifestFile))
	if cmd.JSON {
		return c.printJSON(s)
	}
	c.printf("%s of %s jobs are done (%s)\n", grouped(uint64(s.Done)), grouped(uint64(s.Jobs)), percent(float64(s.Done)/float64(s.Jobs)))
	c.printf("  ensemble   %s\n", s.Hash)
	c.printf("  universes  %s\n", grouped(uint64(s.Universes)))
	for _, f := range s.Failed {
		c.printf("  failed     job %.12s… after %d tries: %s\n", f.Key, f.Tries, oneLine(f.Error))
	}
	if s.Merged {
		c.printf("  merged     yes\n")
	}
	return nil
}
