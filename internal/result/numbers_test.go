package result

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// anyKind has columns of numbers, texts and lists.
type anyKind struct {
	Name  string   `parquet:"name" json:"name"`
	Time  uint64   `parquet:"time" json:"time"`
	Value float64  `parquet:"value" json:"value"`
	Error *float64 `parquet:"error" json:"error"`
	List  []uint64 `parquet:"list" json:"list"`
}

// TestNumbers: all formats give the same numbers. Texts and lists are left out, and what is missing is NaN.
func TestNumbers(t *testing.T) {
	e := 0.25
	rows := []anyKind{{"a", 1, 2.5, nil, []uint64{1, 2}}, {"b", 2, -1e30, &e, nil}, {"c", 1 << 63, 0, nil, []uint64{3}}}
	for _, name := range []string{"t.csv", "t.parquet", "t.jsonl"} {
		path := filepath.Join(t.TempDir(), name)
		if err := Write(path, rows); err != nil {
			t.Fatal(err)
		}
		n, err := ReadNumbers(path)
		if err != nil {
			t.Fatal(name, err)
		}
		got := slices.Sorted(slices.Values(n.Names))
		if !slices.Equal(got, []string{"error", "time", "value"}) {
			t.Errorf("%s: columns %v", name, n.Names)
		}
		if c := n.Columns; !slices.Equal(c["time"], []float64{1, 2, 1 << 63}) ||
			!slices.Equal(c["value"], []float64{2.5, -1e30, 0}) ||
			len(c["error"]) != 3 || !math.IsNaN(c["error"][0]) || c["error"][1] != e || !math.IsNaN(c["error"][2]) {
			t.Errorf("%s: %v", name, c)
		}
	}
	path := filepath.Join(t.TempDir(), "hand.csv")
	if err := os.WriteFile(path, []byte("x, y,word\n 1,2,u\n3,,v\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := ReadNumbers(path)
	if err != nil || !slices.Equal(n.Names, []string{"x", "y"}) || !slices.Equal(n.Columns["x"], []float64{1, 3}) ||
		!math.IsNaN(n.Columns["y"][1]) {
		t.Errorf("%+v, %v", n, err)
	}
}

// TestDamagedNumbers: every cut of a Parquet file is refused with an error, or read.
func TestDamagedNumbers(t *testing.T) {
	var b bytes.Buffer
	if err := Encode(&b, "t.parquet", []anyKind{{Name: "a", Time: 1}}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	for i := range b.Len() {
		if err := os.WriteFile(path, b.Bytes()[:i], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadNumbers(path); err == nil {
			t.Errorf("the first %d bytes of %d are read", i, b.Len())
		}
	}
}
