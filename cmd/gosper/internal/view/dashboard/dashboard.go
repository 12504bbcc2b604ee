// Package dashboard answers a page that shows an ensemble: how far it is, who computes it, its figures, and its
// universes.
package dashboard

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/figures"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

const (
	// every is the least pause between two drawings of the figures of a running ensemble. After a drawing that took
	// long, the pause is share times as long.
	every = 2 * time.Second
	share = 10
	// page is the number of universes that are listed at once.
	page = 100
)

// Dashboard shows an ensemble. It implements http.Handler: GET /state is JSON, /figure/NAME an SVG,
// /universes?from=N the universes from number N on.
type Dashboard struct {
	dir  string
	temp string // for merged tables and figures

	mu      sync.Mutex
	look    *look // with data
	state   State
	figures map[string][]byte
	failed  error // of the last refresh
}

// State is the progress of an ensemble.
type State struct {
	Folder    string   `json:"folder"`
	Hash      string   `json:"hash"`
	Universes int      `json:"universes"`
	Jobs      int      `json:"jobs"`
	Done      int      `json:"done"`
	Parked    int      `json:"parked"` // jobs that failed too often
	Workers   []worker `json:"workers"`
	Figures   []drawn  `json:"figures"`
	Merged    int      `json:"merged"`  // jobs whose results are in the figures
	Known     int      `json:"known"`   // universes that are listed
	Problem   string   `json:"problem"` // why the figures are not up to date; empty if they are
}

type worker struct {
	Name      string `json:"name"`
	Jobs      int    `json:"jobs"`
	Universes int    `json:"universes"`
}

// drawn is a figure.
type drawn struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// Universe is a universe and what the viewer needs to show it.
type Universe struct {
	Rule       string  `json:"rule"` // with the suffix of a bounded grid
	Width      int     `json:"width"`
	Height     int     `json:"height"`
	Density    float64 `json:"density"`
	Start      string  `json:"start"`
	Cells      string  `json:"cells"` // of its pattern, RLE; empty if it has none
	Seed       uint64  `json:"seed,string"`
	Index      uint64  `json:"index"`
	Generation uint64  `json:"generation,string"` // the last one sampled
	Population uint64  `json:"population,string"`
	Settled    *bool   `json:"settled"`
	Transient  *uint64 `json:"transient"`
	Period     *uint64 `json:"period"`
}

// Open looks at the ensemble in a folder. Close removes the dashboard's files.
func Open(ctx context.Context, dir string) (*Dashboard, error) {
	temp, err := os.MkdirTemp("", "gosper-dashboard")
	if err != nil {
		return nil, err
	}
	d := &Dashboard{dir: dir, temp: temp, figures: map[string][]byte{}}
	if err := d.refresh(ctx); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Close removes the dashboard's files.
func (d *Dashboard) Close() error { return os.RemoveAll(d.temp) }

// Follow looks at the ensemble again and again until ctx is done.
func (d *Dashboard) Follow(ctx context.Context) {
	wait := time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(every, wait)):
		}
		begin := time.Now()
		if err := d.refresh(ctx); err != nil && ctx.Err() == nil {
			d.mu.Lock()
			d.failed = err
			d.mu.Unlock()
		}
		wait = share * time.Since(begin)
	}
}

// refresh looks at the ensemble, and draws its figures if there are new results.
func (d *Dashboard) refresh(ctx context.Context) error {
	d.mu.Lock()
	known := d.state.Merged
	d.mu.Unlock()
	now, err := lookAt(ctx, d.dir, d.temp, known)
	if err != nil {
		return err
	}
	var list []drawn
	files := map[string][]byte{}
	if fresh := now.Done > 0 && now.Done != known; fresh {
		drawings, err := figures.Draw(now.Data, figures.View{})
		if err != nil {
			return err
		}
		for _, f := range drawings {
			path := filepath.Join(d.temp, f.Name+".svg")
			if err := f.Figure.Save(path); err != nil {
				return err
			}
			if files[f.Name], err = os.ReadFile(path); err != nil {
				return err
			}
			list = append(list, drawn{f.Name, f.Figure.Title})
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failed = nil
	if list != nil {
		d.look, d.figures, d.state.Figures, d.state.Merged, d.state.Known = now, files, list, now.Done, len(now.Each)
	}
	s := &d.state
	s.Folder, s.Hash, s.Universes, s.Jobs, s.Done, s.Parked = d.dir, now.Hash, now.Universes, now.Jobs, now.Done,
		now.Parked
	s.Workers = append([]worker{}, now.Workers...)
	return nil
}

// ServeHTTP implements http.Handler.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if name, ok := strings.CutPrefix(r.URL.Path, "/figure/"); ok {
		figure, ok := d.figures[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Write(figure)
		return
	}
	switch r.URL.Path {
	case "/state":
		s := d.state
		if s.Figures == nil {
			s.Figures = []drawn{}
		}
		if d.failed != nil {
			s.Problem = d.failed.Error()
		}
		answer(w, s)
	case "/universes":
		from, _ := strconv.Atoi(r.FormValue("from"))
		answer(w, d.universes(from))
	default:
		http.NotFound(w, r)
	}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

// universes lists a page of the universes that are done.
func (d *Dashboard) universes(from int) []Universe {
	list := []Universe{}
	if d.look == nil {
		return list
	}
	all := d.look.Each
	from = max(0, min(from, len(all)))
	for _, u := range all[from:min(len(all), from+page)] {
		list = append(list, of(u, d.look.Patterns))
	}
	return list
}

// of converts a row of the table of universes for the viewer, with the cells of the pattern that it starts from.
func of(u ensemble.Universe, patterns map[string]string) Universe {
	cells := ""
	if start, err := soup.ParseStart(u.Start); err == nil && start.HasPattern() {
		cells = patterns[start.PatternName()]
	}
	rule := u.Rule
	if on, err := topology.Parse(u.Topology); err == nil {
		rule += on.Suffix() // none on the unbounded plane
	}
	return Universe{
		rule, u.Width, u.Height, u.StartDensity, cmp.Or(u.Start, "soup"), cells, u.Seed, u.Index, u.Generation, u.Population,
		u.Settled, u.Transient, u.Period,
	}
}
