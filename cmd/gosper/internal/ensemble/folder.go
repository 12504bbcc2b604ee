package ensemble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/ensemble/folder"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/internal/result"
)

// manifestFile is the name of the file that says how merged tables were made.
const manifestFile = "manifest.json"

// claim makes a folder the folder of an ensemble. The folder may already hold the same ensemble, or one with fewer
// universes, generations or places, which is then extended. claim returns the study to follow: a continued run keeps
// the first run's division into jobs, unless newJobs is set, and goes on keeping last states. Fewer universes than the
// folder has are refused, unless grows says that the number grows during the run.
func claim(dir string, study *ensemble.Study, newJobs, grows bool) (*ensemble.Study, error) {
	if err := output.Folder(dir); err != nil {
		return nil, console.Bad(err)
	}
	there, err := folder.Study(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return study, folder.Write(dir, study, nil)
	}
	if err != nil {
		return nil, console.Bad(err)
	}
	spec := study.Spec
	spec.Keep = spec.Keep || there.Spec.Keep
	if !newJobs && (spec.Rows == nil) == (there.Spec.Rows == nil) {
		spec.PerJob = there.Spec.PerJob
	}
	if study, err = spec.Check(); err != nil {
		return nil, err
	}
	goesOn, why := study.GoesOn(there)
	more, fewer := study.Covers(there), there.Covers(study)
	if spec.Rows != nil || there.Spec.Rows != nil {
		more = goesOn || study.Widens(there)
		fewer = more
	}
	switch {
	case why != nil:
		return nil, console.Badf("%s: %w; else choose another --out", dir, why)
	case !goesOn && !study.Extends(there) && !there.Extends(study) && !study.Widens(there), !more && !fewer:
		return nil, console.Badf("%s holds another ensemble, %.12s…: choose another --out, or, to add rules, sizes, starts or "+
			"densities, use --add or give those that it has as well", dir, there.Hash())
	case !more && !grows:
		return nil, console.Badf(
			"%s has %d universes of each rule, size, start and density: you can add more, but %d are fewer", dir,
			there.Spec.Universes, study.Spec.Universes)
	case goesOn:
		return study, folder.Write(dir, study, there)
	case there.Hash() == study.Hash() && there.Spec.Keep == study.Spec.Keep:
		return study, nil
	}
	return study, folder.Write(dir, study, nil)
}

// secrets matches the tokens in the URLs of queues.
var secrets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(://)[^@/,\s]+@`)
})

// arguments returns the arguments of this process without secrets().
func arguments() []string {
	shown := slices.Clone(os.Args[1:])
	for i, a := range shown {
		switch {
		case i > 0 && shown[i-1] == "--token":
			shown[i] = "TOKEN"
		case strings.HasPrefix(a, "--token="):
			shown[i] = "--token=TOKEN"
		default:
			shown[i] = secrets().ReplaceAllString(a, "${1}TOKEN@")
		}
	}
	return shown
}

// thisProcess is the owner of this process's locks.
func thisProcess() queue.Owner {
	return queue.ThisProcess(strings.Join(append([]string{"gosper"}, arguments()...), " "))
}

// folders holds the results of jobs in several folders.
type folders []*queue.Results

// openFolders opens the results in folders.
func openFolders(dirs ...string) (folders, error) {
	var f folders
	for _, dir := range dirs {
		r, err := queue.OpenResults(dir)
		if err != nil {
			return nil, err
		}
		f = append(f, r)
	}
	return f, nil
}

// Has implements tables.Store.
func (f folders) Has(key string) bool {
	return slices.ContainsFunc(f, func(r *queue.Results) bool { return r.Has(key) })
}

// expected is the results of a run, also those that it has not computed yet.
type expected struct{ *queue.Results }

// Has implements tables.Store.
func (e expected) Has(string) bool { return true }

// Load implements tables.Store. It waits until the result is there.
func (e expected) Load(ctx context.Context, key string) ([]byte, error) {
	if err := e.Wait(ctx, key); err != nil {
		return nil, err
	}
	return folder.Load(key, e.Results)
}

// Load implements tables.Store. It fails if a job has different results in two folders.
func (f folders) Load(_ context.Context, key string) ([]byte, error) { return folder.Load(key, f...) }

// damaged lists the results of a study that have been damaged. While results are missing, the list also has
// damaged parts whose job is unknown.
func (f folders) damaged(study *ensemble.Study) []queue.Damage {
	missing := map[string]bool{}
	for j := range study.Jobs() {
		if key := j.Key(); !f.Has(key) {
			missing[key] = true
		}
	}
	lost := []queue.Damage{}
	for _, r := range f {
		for _, d := range r.Damaged() {
			if missing[d.Key] || d.Key == "" && len(missing) > 0 {
				lost = append(lost, d)
			}
		}
	}
	return lost
}

// noted is one note among the results: a run begins, a run ends, or a worker describes itself.
type noted struct {
	Run *result.Run `json:"run,omitempty"`
	End *result.Run `json:"end,omitempty"`
	queue.About
}

// provenance adds to a manifest where, when and by which program the results of a study were computed.
func (f folders) provenance(m *result.Manifest, study *ensemble.Study) error {
	runs, workers := map[string]*result.Run{}, map[string]*result.Worker{} // by log and by name
	var logs []string
	for _, r := range f {
		for _, n := range r.Notes() {
			var note noted
			if err := json.Unmarshal(n.Data, &note); err != nil {
				return fmt.Errorf("%s: not a note of this version of gosper: %w", n.Path, err)
			}
			switch {
			case note.Run != nil:
				note.Run.Killed = true
				runs[n.Path] = note.Run
				logs = append(logs, n.Path)
			case note.End != nil && runs[n.Path] != nil:
				runs[n.Path].Finished, runs[n.Path].Seconds, runs[n.Path].Joules, runs[n.Path].Killed = note.End.Finished,
					note.End.Seconds, note.End.Joules, false
			case note.About.About != nil:
				var w result.Worker
				if err := json.Unmarshal(note.About.About, &w); err != nil {
					return fmt.Errorf("%s: not a note of this version of gosper: %w", n.Path, err)
				}
				if before := workers[note.Worker]; before != nil && !strings.Contains(before.Engine, w.Engine) {
					w.Engine = before.Engine + "; " + w.Engine
				}
				workers[note.Worker] = &w
			}
		}
	}
	for j := range study.Jobs() {
		key := j.Key()
		for _, r := range f {
			name, log := r.Worker(key)
			if log == "" {
				continue
			}
			if workers[name] == nil {
				workers[name] = &result.Worker{}
			}
			workers[name].Jobs++
			if runs[log] != nil {
				runs[log].Jobs++
			}
			break
		}
	}
	m.Workers = map[string]result.Worker{}
	for name, w := range workers {
		if w.Jobs > 0 {
			m.Workers[name] = *w
		}
	}
	for _, log := range logs {
		run := runs[log]
		if run.Jobs == 0 {
			continue
		}
		if run.Killed {
			info, err := os.Stat(log)
			if err != nil {
				return err
			}
			run.Finished = info.ModTime().UTC()
			run.Seconds = max(0, run.Finished.Sub(run.Started).Seconds())
		}
		m.Runs = append(m.Runs, *run)
	}
	slices.SortStableFunc(m.Runs, func(a, b result.Run) int { return a.Started.Compare(b.Started) })
	sumOf(m)
	return nil
}

// sumOf adds up the runs of a manifest.
func sumOf(m *result.Manifest) {
	joules := 0.0
	known := len(m.Runs) > 0
	m.Seconds, m.Started, m.Finished = 0, time.Time{}, time.Time{}
	for i, run := range m.Runs {
		if i == 0 {
			m.Started = run.Started
		}
		if run.Finished.After(m.Finished) {
			m.Finished = run.Finished
		}
		m.Seconds += run.Seconds
		if known = known && run.Joules != nil; known {
			joules += *run.Joules
		}
	}
	if m.Joules = nil; known {
		m.Joules = &joules
	}
}
