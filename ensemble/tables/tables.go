package tables

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/result"
)

// tables holds the files of merged data.
type tables struct {
	universes *table[ensemble.Universe]
	samples   *table[ensemble.Sample]
	values    *table[ensemble.Value]
	summary   *table[ensemble.Summary]
	averages  *table[ensemble.Average]
	clusters  *table[ensemble.ClusterSize]
	kinetics  *table[ensemble.Kinetics]
	census    *table[ensemble.Object]
	survival  *table[ensemble.Survival]
	lifespans *table[ensemble.Lifespan]
	cells     *table[ensemble.DumpedCells]

	names []string
	files []file
}

// file is a table with rows of any type.
type file interface {
	Close() error
	Abort()
}

// table is a file of rows; its writer is nil if they were not measured.
type table[T any] struct{ *result.Writer[T] }

func (t *table[T]) write(rows ...T) error {
	if t == nil {
		return nil
	}
	return t.Write(rows...)
}

// create starts the files for the measures.
func (t *tables) create(p *ensemble.Study, o Output) error {
	m, said := &p.Wanted, description{about(p), parametersOf(p)}
	return cmp.Or(
		create(t, said, &t.universes, o, "universes", true),
		create(t, said, &t.samples, o, "samples", o.Samples > 0 && !p.Unbounded()),
		create(t, said, &t.values, o, "values", o.Samples > 0 && (len(m.Instruments) > 0 || p.Unbounded())),
		create(t, said, &t.summary, o, "summary", true),
		create(t, said, &t.averages, o, "averages", p.Rows()[0].Spec.Warmup != nil),
		create(t, said, &t.clusters, o, "clusters", m.Clusters && !p.Unbounded()),
		create(t, said, &t.kinetics, o, "kinetics", m.Kinetics),
		create(t, said, &t.census, o, "census", m.Census),
		create(t, said, &t.survival, o, "survival", m.Settling),
		create(t, said, &t.lifespans, o, "lifespans", m.Settling),
		create(t, said, &t.cells, o, "cells", !o.NoCells && len(p.Dump.Generations) > 0),
	)
}

// about returns the metadata of Parquet files: which ensemble they belong to, and how it was measured. The
// program's version is not included, because the files do not depend on it; it is in the manifest.
func about(p *ensemble.Study) map[string]string {
	text, err := json.Marshal(p.Undivided())
	if err != nil {
		panic(err) // numbers were checked to be finite
	}
	return map[string]string{
		"ensemble": p.Hash(), "spec": string(text),
		"measures": strings.Join(p.Wanted.Identities(), " "),
	}
}

// description holds the values that all tables of a study share.
type description struct {
	about      map[string]string // metadata of Parquet files
	parameters *parameters       // nil if no rule has one
}

func create[T ensemble.Row](t *tables, said description, made **table[T], o Output, name string, wanted bool) error {
	if !wanted {
		return nil
	}
	name += o.Ext
	w, err := result.Create(filepath.Join(o.Dir, name), said.about, furtherOf[T](said.parameters))
	if err != nil {
		return err
	}
	*made = &table[T]{w}
	t.names, t.files = append(t.names, name), append(t.files, w)
	return nil
}

// close gives all files their names.
func (t *tables) close() ([]string, error) {
	for _, f := range t.files {
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return t.names, nil
}

// abort drops the files that have no name yet.
func (t *tables) abort() {
	for _, f := range t.files {
		f.Abort()
	}
}

// Read returns the merged tables in folders, one behind the other. It fails if two folders have the same place, whose
// universes might be the same.
func Read(dirs ...string) (ensemble.Data, error) {
	var all ensemble.Data
	in := map[ensemble.Place]int{} // the numbers of folders
	for i, dir := range dirs {
		d, err := readOne(dir)
		if err != nil {
			return all, err
		}
		for _, row := range d.Summary {
			if other, known := in[row.Place]; known && other != i {
				return all, fmt.Errorf("%s and %s both have %s on %s from density %v: merge them, or leave one out", dirs[other],
					dir, row.Rule, row.Topology, row.StartDensity)
			}
			in[row.Place] = i
		}
		all.Summary, all.Averages = append(all.Summary, d.Summary...), append(all.Averages, d.Averages...)
		all.Clusters, all.Kinetics = append(all.Clusters, d.Clusters...), append(all.Kinetics, d.Kinetics...)
		all.Census, all.Survival = append(all.Census, d.Census...), append(all.Survival, d.Survival...)
		all.Lifespans = append(all.Lifespans, d.Lifespans...)
	}
	return all, nil
}

func readOne(dir string) (ensemble.Data, error) {
	var d ensemble.Data
	err := cmp.Or(
		read(dir, "summary", &d.Summary),
		read(dir, "averages", &d.Averages),
		read(dir, "clusters", &d.Clusters),
		read(dir, "kinetics", &d.Kinetics),
		read(dir, "census", &d.Census),
		read(dir, "survival", &d.Survival),
		read(dir, "lifespans", &d.Lifespans),
	)
	if err == nil && d.Summary == nil {
		err = fmt.Errorf(
			"%s holds no merged ensemble: gosper ensemble status says what is missing, and gosper ensemble merge makes one, with --partial from the finished jobs", dir)
	}
	return d, err
}

// read reads a table. A missing table has no rows.
func read[T any](dir, name string, rows *[]T) error {
	for _, ext := range result.Formats {
		var err error
		if *rows, err = result.Read[T](filepath.Join(dir, name+ext)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
