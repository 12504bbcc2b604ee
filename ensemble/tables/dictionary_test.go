package tables

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/ensembletest"
)

// dictionary is the tables of docs/ensembles.md that a comment names, as rows of cells.
func dictionary(t *testing.T) map[string][][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/ensembles.md")
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][][]string{}
	name := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if comment, ok := strings.CutPrefix(line, "<!-- "); ok {
			name = strings.TrimSuffix(comment, " -->")
			continue
		}
		if name == "" || !strings.HasPrefix(line, "|") {
			if len(tables[name]) > 0 {
				name = ""
			}
			continue
		}
		var cells []string
		for _, cell := range strings.Split(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		tables[name] = append(tables[name], cells)
	}
	for name, rows := range tables {
		tables[name] = rows[2:] // without the heading
	}
	return tables
}

// typeNames are the dictionary's words for types of Parquet.
var typeNames = map[string]string{
	"STRING": "string", "BOOLEAN": "bool", "DOUBLE": "double", "INT(64,true)": "int64",
	"INT(64,false)": "uint64",
}

// columnsOf is name, type and unit of the columns of a row, without those of its place.
func columnsOf[T any](t *testing.T) [][]string {
	var columns [][]string
	schema := parquet.SchemaOf(new(T))
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if len(f.Index) > 1 || f.Anonymous {
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		column, ok := schema.Lookup(name)
		if !ok {
			t.Fatalf("Parquet files have no column %q", name)
		}
		kind := typeNames[column.Node.Type().String()]
		if column.Node.Optional() {
			kind += "?"
		}
		if column.Node.Repeated() {
			kind = "repeated " + kind
		}
		if option == "string" {
			kind += ", text"
		}
		columns = append(columns, []string{"`" + name + "`", kind, f.Tag.Get("unit")})
	}
	return columns
}

// TestDictionary holds the dictionary to the columns that the program writes.
func TestDictionary(t *testing.T) {
	written := map[string][][]string{
		"place":     columnsOf[ensemble.Place](t),
		"universes": columnsOf[ensemble.Universe](t), "samples": columnsOf[ensemble.Sample](t),
		"values": columnsOf[ensemble.Value](t), "averages": columnsOf[ensemble.Average](t),
		"summary": columnsOf[ensemble.Summary](t), "clusters": columnsOf[ensemble.ClusterSize](t),
		"kinetics": columnsOf[ensemble.Kinetics](t),
		"survival": columnsOf[ensemble.Survival](t), "lifespans": columnsOf[ensemble.Lifespan](t),
		"cells": columnsOf[ensemble.DumpedCells](t), "census": columnsOf[ensemble.Object](t),
	}
	documented := map[string][][]string{}
	for name, rows := range dictionary(t) {
		table, ok := strings.CutPrefix(name, "columns: ")
		if !ok {
			continue
		}
		for _, row := range rows {
			if len(row) != 4 || row[3] == "" {
				t.Fatalf("%s: %q: want four cells, the last of which says what the column is", table, row)
			}
			documented[table] = append(documented[table], row[:3])
		}
	}
	if diff := cmp.Diff(written, documented); diff != "" {
		t.Errorf("columns that are written (-) and documented (+):\n%s", diff)
	}
	// The tables are all that a merge makes.
	var made tables
	all := ensemble.Wanted{Clusters: true, Kinetics: true, Census: true, Settling: true, Instruments: ensemble.Measures}
	if err := made.create(&ensemble.Study{
		Wanted: all, Dump: ensemble.Dump{Generations: []uint64{0}},
		Spec: ensemble.Spec{Warmup: new(uint64)},
	}, Output{Dir: t.TempDir(), Ext: ".csv", Samples: 1}); err != nil {
		t.Fatal(err)
	}
	defer made.abort()
	names := append([]string{"place.csv"}, made.names...)
	for name := range documented {
		if !slices.Contains(names, name+".csv") {
			t.Errorf("no file has the columns of %s", name)
		}
	}
	if len(names) != len(documented) {
		t.Errorf("tables %v are written, %d are documented", names, len(documented))
	}
}

// TestDictionaryOfQuantities holds the list of quantities to those of a summary.
func TestDictionaryOfQuantities(t *testing.T) {
	p, err := ensembletest.Everything().Check()
	if err != nil {
		t.Fatal(err)
	}
	var written, documented []string
	for _, q := range quantitiesOf(p, p.Points[0]) {
		name, distance, _ := strings.Cut(q.name, " ")
		if distance == "" {
			written = append(written, name)
		} else if name = fmt.Sprint(name, " R"); !slices.Contains(written, name) {
			written = append(written, name)
		}
	}
	code := regexp.MustCompile("`[^`]+`")
	for _, row := range dictionary(t)["quantities"] {
		for _, name := range code.FindAllString(row[0], -1) {
			documented = append(documented, strings.Trim(name, "`"))
		}
	}
	if diff := cmp.Diff(written, documented); diff != "" {
		t.Errorf("quantities that are written (-) and documented (+):\n%s", diff)
	}
}
