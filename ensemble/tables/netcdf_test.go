package tables

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/ensembletest"
)

// ncFile has the lengths of dimensions, and of each variable its dimensions and its bytes.
type ncFile struct {
	dimensions map[string]int
	attributes map[string]any
	axes       map[string][]string
	data       map[string][]byte
}

// readNC reads a file by the grammar of the specification, apart from the code that writes it.
func readNC(t *testing.T, path string) ncFile {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	number := func() int {
		at += 4
		return int(binary.BigEndian.Uint32(text[at-4:]))
	}
	word := func() string {
		n := number()
		s := string(text[at : at+n])
		at += (n + 3) / 4 * 4
		return s
	}
	attributes := func(of string, all map[string]any) {
		if tag := number(); tag != 12 {
			t.Fatalf("%s: attributes of %s begin with %d", path, of, tag)
		}
		for range number() {
			name, kind := word(), number()
			if kind == 2 {
				all[of+name] = word()
				continue
			}
			if n := number(); kind != 6 || n != 1 {
				t.Fatalf("attribute %s of type %d has %d values", name, kind, n)
			}
			all[of+name] = math.Float64frombits(binary.BigEndian.Uint64(text[at:]))
			at += 8
		}
	}
	if string(text[:4]) != "CDF\x02" || binary.BigEndian.Uint32(text[4:]) != 0 {
		t.Fatalf("%s begins with %q", path, text[:8])
	}
	at = 8
	f := ncFile{map[string]int{}, map[string]any{}, map[string][]string{}, map[string][]byte{}}
	var names []string
	if tag := number(); tag != 10 {
		t.Fatalf("dimensions begin with %d", tag)
	}
	for range number() {
		name := word()
		names = append(names, name)
		f.dimensions[name] = number()
	}
	attributes("", f.attributes)
	if tag := number(); tag != 11 {
		t.Fatalf("variables begin with %d", tag)
	}
	end := 0
	for range number() {
		name, size := word(), 1
		for range number() {
			axis := names[number()]
			f.axes[name] = append(f.axes[name], axis)
			size *= f.dimensions[axis]
		}
		attributes(name+".", f.attributes)
		size *= map[int]int{1: 1, 2: 1, 6: 8}[number()]
		stored, begin := number(), int(binary.BigEndian.Uint64(text[at:]))
		at += 8
		if stored != (size+3)/4*4 || begin%4 != 0 || end > 0 && begin != end {
			t.Errorf("variable %s: %d bytes from %d on, want %d from %d on", name, stored, begin, size, end)
		}
		end = begin + stored
		f.data[name] = text[begin : begin+size]
	}
	if end != len(text) {
		t.Errorf("%d bytes, want %d", len(text), end)
	}
	return f
}

// TestNetCDF compares the cells with those of the format of NumPy.
func TestNetCDF(t *testing.T) {
	for _, spec := range []ensemble.Spec{
		{
			Rules: []string{"life", "B2/S345/4"}, Sizes: []string{"13x9"}, Universes: 5, PerJob: 2, DumpUniverses: "0,3..4",
			Pooled: []ensemble.Part{{Root: "b", Universes: 4}}, Paired: true,
		},
		{Rules: []string{"4/4/5/M"}, Sizes: []string{"5x4x3"}, Densities: ensemble.Densities{0.2}, Universes: 2},
		{Rules: []string{"B2/S/200"}, Sizes: []string{"7x3"}, Universes: 1},
	} {
		spec.Generations, spec.Dump = 12, "0,3,12"
		files := map[string][]string{}
		dirs := map[string]string{}
		for _, as := range []string{"bytes", "netcdf"} {
			spec.DumpAs = as
			p, err := spec.Check()
			if err != nil {
				t.Fatal(err)
			}
			dirs[as] = t.TempDir()
			merged, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dirs[as], Ext: ".csv"})
			if err != nil {
				t.Fatal(err)
			}
			files[as] = slices.DeleteFunc(merged.Files, func(name string) bool { return !strings.HasPrefix(name, "cells-") })
		}
		if len(files["bytes"]) != len(spec.Rules) || len(files["netcdf"]) != len(spec.Rules) {
			t.Fatalf("files %v", files)
		}
		rows := ensembletest.Rows[ensemble.DumpedCells](t, dirs["netcdf"], "cells.csv")
		for i, name := range files["netcdf"] {
			f := readNC(t, filepath.Join(dirs["netcdf"], name))
			want := readNPY(t, filepath.Join(dirs["bytes"], files["bytes"][i]))
			if !slices.Equal(f.data["cells"], want.data) {
				t.Errorf("%s: other cells than %s", name, files["bytes"][i])
			}
			axes := []string{"universe", "generation", "y", "x"}
			if strings.Count(spec.Sizes[0], "x") == 2 {
				axes = slices.Insert(axes, 2, "z")
			}
			if !slices.Equal(f.axes["cells"], axes) || f.dimensions["universe"] != want.shape[0] ||
				f.dimensions["x"] != want.shape[3] || f.dimensions["y"]*max(f.dimensions["z"], 1) != want.shape[2] {
				t.Errorf("%s: axes %v, dimensions %v", name, f.axes, f.dimensions)
			}
			if _, unsigned := f.attributes["cells._Unsigned"]; unsigned != (len(spec.Rules) == 1 &&
				spec.Rules[0] == "B2/S/200") {
				t.Errorf("attributes %v", f.attributes)
			}
			for _, row := range rows {
				if row.File != name {
					continue
				}
				double := func(variable string, i int) float64 {
					return math.Float64frombits(binary.BigEndian.Uint64(f.data[variable][8*i:]))
				}
				seed := strings.TrimRight(string(f.data["seed"][20*row.Axis0:][:20]), " ")
				if f.attributes["rule"] != row.Rule || f.attributes["topology"] != row.Topology ||
					f.attributes["start_density"] != row.StartDensity || double("universe", row.Axis0) != float64(row.Index) ||
					double("generation", row.Axis1) != float64(row.Generation) || seed != strconv.FormatUint(row.Seed, 10) {
					t.Errorf("row %+v: attributes %v, seed %s", row, f.attributes, seed)
				}
			}
		}
	}
}
