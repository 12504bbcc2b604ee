package bench

import (
	"encoding/json"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThisMachine(t *testing.T) {
	m := ThisMachine()
	if m.Cores < 1 || m.OS != runtime.GOOS || m.Arch != runtime.GOARCH || m.Go != runtime.Version() {
		t.Errorf("%+v", m)
	}
	codes, err := Codes()
	if (err == nil) != (len(codes) > 0) {
		t.Errorf("codes %v with error %v", codes, err)
	}
	for _, c := range codes {
		if name := map[Code]string{AVX2: "avx2", AVX512: "avx512f"}[c]; !slices.Contains(m.Extensions, name) {
			t.Errorf("code %s without %s among %v", c, name, m.Extensions)
		}
	}
}

func TestLevels(t *testing.T) {
	m := Machine{Caches: []Cache{{1, 48 << 10}, {2, 2 << 20}, {3, 200 << 20}}}
	want := []Bandwidth{
		{Level: "L1", Bytes: 24 << 10, Threads: 1},
		{Level: "L2", Bytes: 1 << 20, Threads: 1},
		{Level: "L3", Bytes: 100 << 20, Threads: 1},
		{Level: "memory", Bytes: 400 << 20, Threads: 1},
		{Level: "memory", Bytes: 400 << 20, Threads: 4},
	}
	if diff := cmp.Diff(want, m.Levels(4)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[:4], m.Levels(1)); diff != "" {
		t.Error(diff)
	}
	if got := (Machine{}).Levels(1)[3].Bytes; got != 256<<20 {
		t.Errorf("memory of a machine that tells nothing is measured over %d bytes", got)
	}
}

func TestUniverse(t *testing.T) {
	m := Machine{}
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
		got := m.Universe(test.bytes, test.threads)
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
		{Machine{}, []string{"arch", "caches", "cores", "cpu", "extensions", "go", "memory", "os"}},
		{Cache{}, []string{"bytes", "level"}},
		{Rates{}, []string{"code", "loads_per_second", "operations_per_second", "shifts_per_second", "stores_per_second", "tables_per_second"}},
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
