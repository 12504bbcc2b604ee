package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/figure"
	"github.com/gosper-life/gosper/papers/experiment"
)

// trial is a paper with one method, Gosper's own.
func trial(sides ...int) experiment.Paper {
	return experiment.Paper{
		Name: "trial",
		Measure: func(ctx context.Context, r *experiment.Run) error {
			for _, side := range sides {
				cells, err := r.Soup(ctx, side, side, 0.5)
				if err != nil {
					return err
				}
				if err := r.Gosper(ctx, "B3/S23", cells, experiment.Protocol{Generations: 2, Least: 2, Most: 2}); err != nil {
					return err
				}
			}
			return ctx.Err()
		},
		Tables: func(rows []experiment.Measurement) []experiment.Table {
			return []experiment.Table{{Title: "Trial", Header: []string{"method"}, Rows: [][]string{{rows[0].Method}}}}
		},
		Figures: func(rows []experiment.Measurement) []experiment.Drawing {
			f := figure.Figure{Series: []figure.Series{{X: []float64{1}, Y: []float64{rows[0].Seconds}, Points: true}}}
			return []experiment.Drawing{{Name: "trial-times", Figure: f}}
		},
	}
}

func TestPaperFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var out, errOut bytes.Buffer
	c := &console.Console{Out: &out, Err: &errOut}
	flags := paperFlags{Engine: "reference", Out: dir, JSON: true}
	if err := flags.run(t.Context(), c, trial(64, 65)); err != nil {
		t.Fatal(err)
	}
	var rows []experiment.Measurement
	if err := json.Unmarshal(out.Bytes(), &rows); err != nil || len(rows) != 2 {
		t.Fatalf("%v: %s", err, out.Bytes())
	}
	m := rows[1]
	if m.Paper != "trial" || m.Method != "gosper" || m.Rule != "B3/S23" || m.Width != 65 || m.Generations != 2 ||
		m.Realisations != 2 ||
		m.Seconds <= 0 || m.StdErr == nil || m.Joules != nil || m.Machine == "" || m.Parameter("engine") != "reference" ||
		m.Date == "" {
		t.Errorf("got %+v", m)
	}
	table, err := os.ReadFile(filepath.Join(dir, "trial.md"))
	if err != nil || !strings.Contains(string(table), "| gosper |") {
		t.Errorf("%v: %s", err, table)
	}
	// Every format gives the same rows back, and the same files except for their order of writing.
	for _, name := range []string{"trial.jsonl", "trial.parquet", "trial.csv"} {
		var again bytes.Buffer
		flags := paperFlags{From: []string{filepath.Join(dir, name)}, Out: filepath.Join(dir, name+"-again"), JSON: true}
		if err := flags.run(t.Context(), &console.Console{Out: &again, Err: &errOut}, trial()); err != nil {
			t.Fatal(err)
		}
		if again.String() != out.String() {
			t.Errorf("%s gives other rows:\n%s", name, again.String())
		}
		for _, file := range []string{"trial.csv", "trial.md", "trial-times.png", "trial-times.svg"} {
			want, err1 := os.ReadFile(filepath.Join(dir, file))
			got, err2 := os.ReadFile(filepath.Join(dir, name+"-again", file))
			if err := errors.Join(err1, err2); err != nil || !bytes.Equal(got, want) || len(got) == 0 {
				t.Errorf("%s from %s differs: %v", file, name, err)
			}
		}
	}
	if errOut.Len() > 0 {
		t.Errorf("said %q", errOut.String())
	}
	// Several files are put together.
	out.Reset()
	flags = paperFlags{From: []string{filepath.Join(dir, "trial.csv"), filepath.Join(dir, "trial.jsonl")}, JSON: true}
	if err := flags.run(t.Context(), c, trial()); err != nil || strings.Count(out.String(), `"paper"`) != 4 {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestPaperRefusals(t *testing.T) {
	c := &console.Console{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}
	missing := paperFlags{From: []string{filepath.Join(t.TempDir(), "none.csv")}}
	other := paperFlags{Out: t.TempDir(), Engine: "reference"}
	if err := other.run(t.Context(), c, trial(8)); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	foreign := trial()
	foreign.Name = "another"
	for name, run := range map[string]func() error{
		"no file": func() error { return missing.run(t.Context(), c, trial()) },
		"other paper": func() error {
			return (&paperFlags{From: []string{other.Out + "/trial.csv"}}).run(t.Context(), c, foreign)
		},
		"no rows": func() error { return (&paperFlags{From: []string{empty}}).run(t.Context(), c, trial()) },
		"unknown method": func() error {
			return (&paperFlags{Engine: "reference", Method: []string{"magic"}}).run(t.Context(), c, trial(8))
		},
		"unknown engine": func() error { return (&paperFlags{Engine: "abacus"}).run(t.Context(), c, trial(8)) },
	} {
		var bad console.BadInput
		if err := run(); !errors.As(err, &bad) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Two runs do not write into one folder at the same time; one after the other may.
func TestFolderIsHeld(t *testing.T) {
	dir := t.TempDir()
	p := trial(8)
	measure := p.Measure
	p.Measure = func(ctx context.Context, r *experiment.Run) error {
		for _, flags := range []paperFlags{{Engine: "reference", Out: dir}, {From: []string{"none.csv"}, Out: dir}} {
			second := flags.run(ctx, &console.Console{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, trial(8))
			var bad console.BadInput
			const want = "another run writes results of trial into this folder"
			if !errors.As(second, &bad) || !strings.Contains(second.Error(), want) {
				t.Errorf("%+v: %v", flags, second)
			}
		}
		return measure(ctx, r)
	}
	c := &console.Console{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}
	for range 2 {
		if err := (&paperFlags{Engine: "reference", Out: dir}).run(t.Context(), c, p); err != nil {
			t.Fatal(err)
		}
		p = trial(8)
	}
	files, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(files) > 0 {
		t.Errorf("left %v, %v", files, err)
	}
}

// Measurements before an interruption are kept.
func TestPaperInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := trial(8)
	all := p.Measure
	p.Measure = func(ctx context.Context, r *experiment.Run) error {
		err := all(ctx, r)
		cancel()
		return errors.Join(err, all(ctx, r))
	}
	dir := t.TempDir()
	c := &console.Console{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}
	err := (&paperFlags{Engine: "reference", Out: dir}).run(ctx, c, p)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "trial.csv"))
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%v: %s", err, text)
	}
}
