package ensemble

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
	"strconv"
	"strings"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/ensemble/folder"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/tables"
	"github.com/gosper-life/gosper/internal/host"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/internal/result"
)

type mergeCommand struct {
	Dirs       []string `arg:"" help:"Folders of runs or shards of one ensemble, or of ensembles that differ in their roots or places."`
	Out        string   `placeholder:"DIR" help:"Folder for the merged files. Default: the first one."`
	tableFlags `embed:""`
	Partial    bool `help:"Merge the present results even if jobs are missing."`
	Quiet      bool `short:"q" help:"No summary."`
	JSON       bool `name:"json" help:"Print the summary as one JSON object."`
}

// tableFlags say which merged files to write.
type tableFlags struct {
	Format  string  `enum:"parquet,csv,jsonl" default:"parquet" placeholder:"F" help:"Format of the merged files: parquet, csv or jsonl. Default: parquet."`
	Samples samples `placeholder:"S" help:"Samples of universes to write into tables: all, none, or a number K for every K-th time. Default: all up to a million rows, else none."`
}

func (f tableFlags) output(dir string) tables.Output {
	return tables.Output{Dir: dir, Ext: "." + f.Format, Samples: int(f.Samples)}
}

// samples is the number of tables.Output.Samples.
type samples int

// UnmarshalText reads all, none or every K.
func (s *samples) UnmarshalText(text []byte) error {
	switch string(text) {
	case "all":
		*s = 1
		return nil
	case "none":
		*s = -1
		return nil
	}
	k, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(string(text), "every")))
	if err != nil || k < 1 {
		return fmt.Errorf("%q: want all, none or every K, with K from 1", text)
	}
	*s = samples(k)
	return nil
}

// Help is shown below the usage.
func (*mergeCommand) Help() string {
	return `Examples:

    gosper ensemble merge part1 part2 part3 --out soups
    gosper ensemble merge monday tuesday --out both

The folders may hold shards of one ensemble, or ensembles of the same measures that differ in --root, --universes, rules, sizes, starts or
densities. Ensembles of different places may also have other generations and samples. All universes are merged, each once. If several
folders have the same job, its results must be equal.`
}

// Run implements the command.
func (cmd *mergeCommand) Run(ctx context.Context, c *console.Console) error {
	var studies []*ensemble.Study
	for _, dir := range cmd.Dirs {
		study, err := folder.Study(dir)
		if err != nil {
			return console.Bad(err)
		}
		studies = append(studies, study)
	}
	study, err := ensemble.Pool(studies...)
	if err != nil {
		return console.Badf("%s hold different ensembles: %w", strings.Join(cmd.Dirs, ", "), err)
	}
	out := cmd.Out
	switch {
	case out != "":
	case study.Hash() != studies[0].Hash():
		return console.Badf("--out DIR is missing: the universes of %s together form another ensemble than the one in %s",
			strings.Join(cmd.Dirs, ", "), cmd.Dirs[0])
	default:
		out = cmd.Dirs[0]
	}
	if study, err = claim(out, study, false, false); err != nil {
		return err
	}
	from, err := openFolders(cmd.Dirs...)
	if err != nil {
		return err
	}
	if err := folder.Adopt(study, from...); err != nil {
		return err
	}
	s := summary{
		Hash: study.Hash(), Folder: out, Jobs: study.JobCount(),
		Warning: console.Known(result.ThisBuild().Warning()),
	}
	begin := time.Now()
	merged, err := tables.Merge(ctx, study, from, cmd.Partial, cmd.output(out))
	if err == nil {
		err = describe(out, study, from, merged)
	}
	s.Out, s.Done, s.Universes, s.LeftOut = merged.Files, merged.Jobs, merged.Universes, merged.LeftOut
	s.Seconds = time.Since(begin).Seconds()
	var lacks *tables.Incomplete
	if errors.As(err, &lacks) {
		for _, d := range from.damaged(study) {
			fmt.Fprintln(c.Err, d)
		}
		return fmt.Errorf("%w; run the rest, or merge with --partial", err)
	}
	if err != nil {
		return err
	}
	switch {
	case cmd.JSON:
		return c.PrintJSON(s)
	case cmd.Quiet:
		return nil
	}
	c.Printf("%s of %s merged into %s\n", number.Count(uint64(s.Universes), "universe"),
		number.Count(uint64(s.Done), "job"), out)
	for _, name := range s.Out {
		c.Printf("  %s\n", name)
	}
	if s.LeftOut > 0 {
		c.Printf("  left out: %s\n", s.leftOut())
	}
	if s.Warning != nil {
		c.Printf("  warning: %s\n", *s.Warning)
	}
	return nil
}

// describe writes the manifest of merged files into their folder, and removes files of an earlier merge that
// are not part of this one.
func describe(dir string, study *ensemble.Study, from folders, merged tables.Merged) error {
	path := filepath.Join(dir, manifestFile)
	before, err := result.ReadManifest(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m := result.Manifest{
		Command: arguments(), Hash: study.Hash(), Build: result.ThisBuild(), Warning: result.ThisBuild().Warning(),
		Machine: host.ThisMachine(),
		Files:   map[string]string{},
	}
	if m.Spec, err = json.Marshal(study.Spec); err != nil {
		return err
	}
	for _, name := range merged.Files {
		if m.Files[name], err = hashOfFile(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if err := from.provenance(&m, study); err != nil {
		return err
	}
	if err := m.WriteManifest(path); err != nil {
		return err
	}
	return removeOld(dir, before.Files, m.Files)
}

// removeOld removes files that an earlier merge has written and this one has not, because they describe another
// ensemble. It keeps files that have been changed since then.
func removeOld(dir string, before, now map[string]string) error {
	for name, hash := range before {
		if _, replaced := now[name]; replaced || !filepath.IsLocal(name) {
			continue
		}
		path := filepath.Join(dir, name)
		found, err := hashOfFile(path)
		if err == nil && found == hash {
			err = os.Remove(path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// hashOfFile returns the SHA-256 of a file's content in lower-case hex.
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

type statusCommand struct {
	Dir  string `arg:"" help:"Folder of the ensemble."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*statusCommand) Help() string { return "Example:\n\n    gosper ensemble status soups" }

// Status is the report of gosper ensemble status.
type Status struct {
	Hash      string        `json:"hash"`
	Universes int           `json:"universes"`
	Jobs      int           `json:"jobs"`
	Done      int           `json:"done"`
	Parked    int           `json:"parked"`
	Failed    []parkedJob   `json:"parked_jobs"`
	Damaged   []damagedPart `json:"damaged"` // parts of logs; their jobs have to run again
	Merged    bool          `json:"merged"`
}

// parkedJob is a job that failed too often.
type parkedJob struct {
	Key    string `json:"job"`
	Error  string `json:"error"` // error of the last try
	Tries  int    `json:"tries"`
	Worker string `json:"worker"` // the worker that tried it last
}

// damagedPart is an unreadable entry of a log.
type damagedPart struct {
	Path   string  `json:"path"`
	Offset int64   `json:"offset"`
	Key    *string `json:"job"` // the job whose result it was; null if that cannot be read either
}

// Run implements the command.
func (cmd *statusCommand) Run(c *console.Console) error {
	study, err := folder.Study(cmd.Dir)
	if err != nil {
		return console.Bad(err)
	}
	results, err := queue.OpenResults(cmd.Dir)
	if err != nil {
		return err
	}
	if err := folder.Adopt(study, results); err != nil {
		return err
	}
	s := Status{
		Hash: study.Hash(), Universes: study.Universes(), Jobs: study.JobCount(), Failed: []parkedJob{},
		Damaged: []damagedPart{},
	}
	for j := range study.Jobs() {
		if results.Has(j.Key()) {
			s.Done++
		}
	}
	failures, err := results.Failures()
	if err != nil {
		return err
	}
	for _, f := range failures {
		s.Failed = append(s.Failed, parkedJob(f))
	}
	s.Parked = len(failures)
	lost := folders{results}.damaged(study)
	for _, d := range lost {
		s.Damaged = append(s.Damaged, damagedPart{d.Path, d.Offset, console.Known(d.Key)})
	}
	s.Merged = output.Exists(filepath.Join(cmd.Dir, manifestFile))
	if cmd.JSON {
		return c.PrintJSON(s)
	}
	c.Printf("%s of %s jobs are done (%s)\n", number.Grouped(uint64(s.Done)), number.Grouped(uint64(s.Jobs)),
		number.Percent(float64(s.Done)/float64(s.Jobs)))
	c.Printf("  ensemble   %s\n", s.Hash)
	c.Printf("  universes  %s\n", number.Grouped(uint64(s.Universes)))
	for _, d := range lost {
		c.Printf("  damaged    %s\n", d)
	}
	for _, f := range s.Failed {
		c.Printf("  failed     job %.12s… after %d tries: %s\n", f.Key, f.Tries, console.OneLine(f.Error))
	}
	if s.Merged {
		c.Printf("  merged     yes\n")
	}
	return nil
}
