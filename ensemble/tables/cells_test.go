package tables

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/ensembletest"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// npy is an array of uint8 with four axes.
type npy struct {
	shape [4]int
	data  []byte
}

func readNPY(t *testing.T, path string) npy {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(text, []byte("\x93NUMPY\x01\x00")) {
		t.Fatalf("%s: signature %q", path, text[:8])
	}
	begin := 10 + int(binary.LittleEndian.Uint16(text[8:]))
	var a npy
	n, err := fmt.Sscanf(string(text[10:begin]), "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d, %d, %d), }",
		&a.shape[0], &a.shape[1], &a.shape[2], &a.shape[3])
	if n != 4 || err != nil || begin%64 != 0 || text[begin-1] != '\n' {
		t.Fatalf("%s: header %q: %v", path, text[:begin], err)
	}
	if a.data = text[begin:]; len(a.data) != a.shape[0]*a.shape[1]*a.shape[2]*a.shape[3] {
		t.Fatalf("%s: %d bytes of shape %v", path, len(a.data), a.shape)
	}
	return a
}

func (a npy) at(i, j, y, x int) byte {
	return a.data[((i*a.shape[1]+j)*a.shape[2]+y)*a.shape[3]+x]
}

// TestDumpedCells runs the universes of the table of cells again, one cell at a time by the reference, and
// compares them with the files.
func TestDumpedCells(t *testing.T) {
	for name, test := range map[string]struct {
		spec  ensemble.Spec
		files int
		rows  int
	}{
		"bytes": {ensemble.Spec{
			Rules: []string{"life", "B2/S345/4"}, Sizes: []string{"13x9", "P70,6"}, Universes: 5, Generations: 12, PerJob: 2,
			Dump: "0,3,12", DumpUniverses: "0,3..4",
		}, 4, 4 * 3 * 3},
		"bits": {ensemble.Spec{
			Rules: []string{"life"}, Sizes: []string{"13x9", "64", "K66,5"}, Densities: ensemble.Densities{0.2, 0.5},
			Universes: 3, Generations: 7, Every: 2, Dump: "7", DumpAs: "bits",
		}, 6, 6 * 3},
		"many rules": {ensemble.Spec{
			Rules: []string{"B3/S..B3/S012345"}, Sizes: []string{"10"}, Universes: 2, Generations: 4,
			PerJob: 1, Dump: "4",
		}, 64, 128},
		"pooled": {ensemble.Spec{
			Rules: []string{"life"}, Sizes: []string{"10"}, Universes: 2, Generations: 4, Dump: "4", DumpUniverses: "1",
			Pooled: []ensemble.Part{{Root: "b", Universes: 3}},
		}, 1, 2},
		"settling": {ensemble.Spec{
			Rules: []string{"life"}, Sizes: []string{"10"}, Universes: 2, Generations: 1, Dump: "1",
			Measures: []string{"settling", "activity"},
		}, 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := test.spec.Check()
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			merged, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".csv"})
			if err != nil {
				t.Fatal(err)
			}
			arrays := map[string]npy{}
			size := uint64(0)
			for _, file := range merged.Files {
				if filepath.Ext(file) == ".npy" {
					arrays[file] = readNPY(t, filepath.Join(dir, file))
					size += uint64(len(arrays[file].data))
				}
			}
			if want, files := p.DumpBytes(); len(arrays) != test.files || files != test.files || size != want {
				t.Errorf("%d files of %d bytes, want %d; announced were %d of %d", len(arrays), size, test.files, files, want)
			}
			rows := ensembletest.Rows[ensemble.DumpedCells](t, dir, "cells.csv")
			if len(rows) != test.rows {
				t.Errorf("%d rows, want %d", len(rows), test.rows)
			}
			for _, row := range rows {
				compareCells(t, row, arrays[row.File], p.Dump.Bits)
			}
		})
	}
}

func compareCells(t *testing.T, row ensemble.DumpedCells, a npy, bits bool) {
	t.Helper()
	r, err := rule.Parse(row.Rule)
	if err != nil {
		t.Fatal(err)
	}
	on, err := topology.Parse(row.Topology)
	if err != nil {
		t.Fatal(err)
	}
	e, err := sim.Open(t.Context(), "reference", sim.Config{Rule: r, Topology: on})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := soup.Fill(t.Context(), e, on.W, on.H, row.Seed, row.StartDensity, 1, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Step(t.Context(), row.Generation); err != nil {
		t.Fatal(err)
	}
	want, err := grid.New(on.W, on.H, grid.PlanesOf(r.States))
	if err == nil {
		err = grid.Copy(want, e, want.Bounds(), 0, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	for y := range on.H {
		for x := range on.W {
			got := byte(0)
			if bits {
				got = a.at(row.Axis0, row.Axis1, y, x/8) >> (7 - x%8) & 1
			} else {
				got = a.at(row.Axis0, row.Axis1, y, x)
			}
			if want := want.Get(x, y); got != want {
				t.Fatalf("universe %d of %s:%s at generation %d: cell (%d, %d) is %d, want %d", row.Index, row.Rule, row.Topology,
					row.Generation, x, y, got, want)
			}
		}
	}
}

// TestDumpOfSomeJobs leaves out the universes that are not there yet, and refuses cells of another size.
func TestDumpOfSomeJobs(t *testing.T) {
	p, err := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"10"}, Universes: 4, PerJob: 1, Generations: 2,
		Dump: "1..2",
	}.Check()
	if err != nil {
		t.Fatal(err)
	}
	all := ensembletest.RunAll(t, p)
	var keys []string
	for j := range p.Jobs() {
		keys = append(keys, j.Key())
	}
	delete(all, keys[1])
	dir := t.TempDir()
	if _, err := Merge(t.Context(), p, all, true, Output{Dir: dir, Ext: ".jsonl"}); err != nil {
		t.Fatal(err)
	}
	if a := readNPY(t, filepath.Join(dir, "cells-1.npy")); a.shape != [4]int{3, 2, 10, 10} {
		t.Errorf("shape %v", a.shape)
	}
	for i, row := range ensembletest.Rows[ensemble.DumpedCells](t, dir, "cells.jsonl") {
		if want := []uint64{0, 2, 3}[i/2]; row.Index != want || row.Axis0 != i/2 || row.Axis1 != i%2 {
			t.Errorf("row %d: %+v, want universe %d", i, row, want)
		}
	}
	r, err := ensemble.DecodeResult(all[keys[2]])
	if err != nil {
		t.Fatal(err)
	}
	r.Kept[0].Cells = r.Kept[0].Cells[1:]
	if all[keys[2]], err = r.Encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(t.Context(), p, all, true, Output{Dir: dir, Ext: ".jsonl"}); err == nil {
		t.Error("cells of another size were merged")
	}
	if a := readNPY(t, filepath.Join(dir, "cells-1.npy")); a.shape[0] != 3 {
		t.Error("a merge that failed has changed the file")
	}
}
