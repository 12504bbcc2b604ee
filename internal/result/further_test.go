package result

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// TestFurther: further columns are in files of all formats, and those who know only the rows read these.
func TestFurther(t *testing.T) {
	type wide struct {
		Seed  uint64   `parquet:"seed" json:"seed,string"`
		Note  string   `parquet:"note" json:"note"`
		List  []uint64 `parquet:"list" json:"list"`
		Model string   `parquet:"model" json:"model"`
		T     *float64 `parquet:"T" json:"T"`
		Q     *float64 `parquet:"q" json:"q"`
	}
	type narrow struct {
		Seed uint64   `parquet:"seed" json:"seed,string"`
		Note string   `parquet:"note" json:"note"`
		List []uint64 `parquet:"list" json:"list"`
	}
	temperature := 2.25
	var want []narrow
	var all []wide
	for i := range 3000 { // more than a portion
		n := narrow{uint64(i), `,"model":"x"`, []uint64{uint64(i), 7}}
		w := wide{n.Seed, n.Note, n.List, "Ising", &temperature, nil}
		if i%3 == 0 {
			w.Model, w.T = "7", nil
		}
		want, all = append(want, n), append(all, w)
	}
	more := &Further[narrow]{[]string{"T", "q"}, func(row *narrow) (string, []*float64) {
		w := all[row.Seed]
		return w.Model, []*float64{w.T, w.Q}
	}}
	for _, ext := range Formats {
		path := filepath.Join(t.TempDir(), "rows"+ext)
		w, err := Create(path, nil, more)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(want...); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := Read[narrow](path)
		if !cmp.Equal(want, got) || err != nil {
			t.Errorf("%s, rows alone: %v", ext, err)
		}
		gotAll, err := Read[wide](path)
		if !cmp.Equal(all, gotAll) || err != nil {
			t.Errorf("%s, with further columns: %v", ext, err)
		}
	}
}

// TestFurtherAreTyped: the columns of Parquet files are doubles that may be missing.
func TestFurtherAreTyped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.parquet")
	w, err := Create(path, nil, &Further[row]{[]string{"T"}, func(*row) (string, []*float64) {
		return "", []*float64{nil}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rows...); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text := file.Schema().String(); !strings.Contains(text, "optional double T;") ||
		!strings.Contains(text, "required binary model (STRING);") ||
		!strings.Contains(string(before), `{"density":"cells/cell"`) {
		t.Error(text)
	}
}
