package roofline

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/internal/host"
)

// TestCodes checks that the codes offered are those that the processor has.
func TestCodes(t *testing.T) {
	codes, err := Codes()
	if (err == nil) != (len(codes) > 0) {
		t.Errorf("codes %v with error %v", codes, err)
	}
	has := host.ThisMachine().Extensions
	for _, c := range codes {
		if name := map[Code]string{AVX2: "avx2", AVX512: "avx512f"}[c]; !slices.Contains(has, name) {
			t.Errorf("code %s without %s among %v", c, name, has)
		}
	}
}

func TestLevels(t *testing.T) {
	m := host.Machine{Caches: []host.Cache{
		{Level: 1, Bytes: 48 << 10},
		{Level: 2, Bytes: 2 << 20},
		{Level: 3, Bytes: 200 << 20},
	}}
	want := []Bandwidth{
		{Level: "L1", Bytes: 24 << 10, Threads: 1},
		{Level: "L2", Bytes: 1 << 20, Threads: 1},
		{Level: "L3", Bytes: 100 << 20, Threads: 1},
		{Level: "memory", Bytes: 400 << 20, Threads: 1},
		{Level: "memory", Bytes: 400 << 20, Threads: 4},
	}
	if diff := cmp.Diff(want, Levels(m, 4)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[:4], Levels(m, 1)); diff != "" {
		t.Error(diff)
	}
	if got := Levels(host.Machine{}, 1)[3].Bytes; got != 256<<20 {
		t.Errorf("memory of a machine that tells nothing is measured over %d bytes", got)
	}
}

func TestUniverse(t *testing.T) {
	m := host.Machine{}
	for _, test := range []struct {
		bytes   uint64
		threads int
		want    uint64
	}{
		{1, 1, 2048},
		{1, 3, 3 * 2048},
		{4095, 1, 2048},
		{2<<20 + 5, 2, 2 << 20},
		{1 << 40, 2, 256 << 20},
	} {
		got := Universe(m, test.bytes, test.threads)
		if want := (Bandwidth{Level: "universe", Bytes: test.want, Threads: test.threads}); got != want {
			t.Errorf("%d bytes, %d threads: %+v, want %+v", test.bytes, test.threads, got, want)
		}
	}
}

// TestJSON holds the keys that readers of --json rely on.
func TestJSON(t *testing.T) {
	for _, test := range []struct {
		value any
		keys  []string
	}{
		{Rates{}, []string{
			"code", "loads_per_second", "operations_per_second", "shifts_per_second", "stores_per_second",
			"tables_per_second",
		}},
		{Bandwidth{}, []string{
			"bytes", "copy_bytes_per_second", "read_bytes_per_second", "threads", "tier", "update_bytes_per_second",
		}},
		{Work{}, []string{"bytes_per_cell", "vector_bits", "vector_operations", "vector_tables"}},
		{Bound{}, []string{"binds", "cells_per_second", "logic_cells_per_second", "memory_cells_per_second"}},
	} {
		text, err := json.Marshal(test.value)
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.keys, slices.Sorted(maps.Keys(object))); diff != "" {
			t.Errorf("%T (-want +got):\n%s", test.value, diff)
		}
	}
}
