package result

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// mixed is a row with columns of all kinds.
type mixed struct {
	Name   string   `parquet:"name" json:"name"`
	Side   int      `parquet:"side" json:"side"`
	Whole  uint64   `parquet:"whole" json:"whole"`
	Real   float64  `parquet:"real" json:"real"`
	Maybe  *uint64  `parquet:"maybe" json:"maybe"`
	Share  *float64 `parquet:"share" json:"share"`
	Word   *string  `parquet:"word" json:"word"`
	Never  *uint64  `parquet:"never" json:"never"`
	Counts []uint64 `parquet:"counts" json:"counts"`
}

// TestColumnsMakeTheFileOfRows writes the same rows as structs and as columns, in pieces of many lengths, some of which
// are of another place and lack other values.
func TestColumnsMakeTheFileOfRows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var byRows, byColumns bytes.Buffer
	rows, err := newParquetWriter[mixed](&byRows, nil)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := newParquetWriter[mixed](&byColumns, nil)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for k, n := range []int{3, 1, 1020, 1024, 1, 5000, 0, 40_000, 17} {
		total += n
		name, side, without := strings.Repeat("x", k/2), k/3, k%4 == 3
		var structs []mixed
		whole, real, shares := make([]uint64, n), make([]float64, n), make([]float64, n)
		lacks, words, lists := make([]bool, n), make([]string, n), make([]uint64, 2*n)
		for i := range n {
			whole[i], real[i], shares[i] = random.Uint64(), random.NormFloat64(), random.Float64()
			lacks[i], words[i] = random.IntN(3) == 0, []string{"a", "", "bcd"}[random.IntN(3)]
			lists[2*i], lists[2*i+1] = random.Uint64N(9), random.Uint64()
			row := mixed{
				Name: name, Side: side, Whole: whole[i], Real: real[i], Counts: lists[2*i : 2*i+2], Share: &shares[i],
				Word: &words[i],
			}
			if !lacks[i] {
				row.Maybe = &whole[i]
			}
			if without {
				row.Share, row.Word = nil, nil
			}
			structs = append(structs, row)
		}
		if err := rows.write(structs); err != nil {
			t.Fatal(err)
		}
		held := map[string]Column{
			"name": {Same: name}, "side": {Same: side}, "whole": {Whole: whole}, "real": {Real: real},
			"maybe": {Whole: whole, Lacks: lacks}, "share": {Real: shares}, "word": {Text: words}, "never": {},
			"counts": {Lists: lists, PerRow: 2},
		}
		if without {
			held["share"], held["word"] = Column{}, Column{}
		}
		if err := columns.writeColumns(n, held); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.end(); err != nil {
		t.Fatal(err)
	}
	if err := columns.end(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(byRows.Bytes(), byColumns.Bytes()) {
		t.Errorf("%d rows: %d bytes as rows, %d as columns, and they differ", total, byRows.Len(), byColumns.Len())
	}
	if err := columns.writeColumns(1, map[string]Column{"name": {Same: "x"}}); err == nil {
		t.Error("columns are missing, and there is no error")
	}
}
