package rpc

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMany compares many universes with one of the same seed and density.
func TestMany(t *testing.T) {
	const n, w, h = 3, 22, 6
	file := filepath.Join(t.TempDir(), "numbers")
	write := func(bytes []byte) {
		t.Helper()
		if err := os.WriteFile(file, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, rule := range []string{"B36/S23", "/2/3", "Ising~T=2.3"} {
		c := dial(t)
		ask := func(method, params string, size int) []byte {
			t.Helper()
			write(make([]byte, size))
			c.call(method, fmt.Sprintf(`{"file":%q%s}`, file, params), &done{})
			bytes, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			return bytes
		}
		var o opened
		c.call("open", fmt.Sprintf(`{"universes":%d,"rule":%q,"size":"%dx%d"}`, n, rule, w, h), &o)
		if o.Width != w || o.Height != h {
			t.Errorf("opened %+v", o)
		}
		var starts []byte
		for i := range n {
			starts = binary.LittleEndian.AppendUint64(starts, uint64(7+i))
			starts = binary.LittleEndian.AppendUint64(starts, math.Float64bits(0.3+0.1*float64(i)))
		}
		write(starts)
		c.call("fill", fmt.Sprintf(`{"file":%q}`, file), &done{})
		var at now
		if c.call("step", `{"generations":5}`, &at); at.Generation != 5 {
			t.Errorf("generation %d", at.Generation)
		}
		all := ask("read", fmt.Sprintf(`,"first":0,"universes":%d`, n), n*w*h)
		populations, found := ask("population", "", 8*n), ask("clusters", `,"connectivity":8`, 32*n)
		for i := range n {
			one := dial(t)
			one.call("open", fmt.Sprintf(`{"rule":%q,"size":"%dx%d","seed":%d,"density":%v}`, rule, w, h, 7+i,
				0.3+0.1*float64(i)), &o)
			one.call("step", `{"generations":5}`, &stepped{})
			write(make([]byte, w*h))
			one.call("read", fmt.Sprintf(`{"file":%q,"width":%d,"height":%d}`, file, w, h), &done{})
			cells, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(cells, all[i*w*h:][:w*h]) {
				t.Errorf("%s: universe %d has other cells than alone", rule, i)
			}
			var p counted
			if one.call("population", "", &p); le.Uint64(populations[8*i:]) != p.Population {
				t.Errorf("%s: universe %d: population %d, alone %d", rule, i, le.Uint64(populations[8*i:]), p.Population)
			}
			var k clusters
			one.call("clusters", `{"connectivity":8}`, &k)
			want := []uint64{k.Count, k.Cells, k.Largest, 0}
			for _, pair := range k.Sizes {
				want[3] += pair[0] * pair[0] * pair[1]
			}
			for j, number := range want {
				if got := le.Uint64(found[32*i+8*j:]); got != number {
					t.Errorf("%s: universe %d: number %d of clusters is %d, alone %d", rule, i, j, got, number)
				}
			}
		}
		if o.States == 2 {
			packed := ask("read", `,"first":1,"universes":1,"bits":true`, (w+7)/8*h)
			for at, state := range all[w*h : 2*w*h] {
				if got := bits.Reverse8(packed[at/w*((w+7)/8)+at%w/8]) >> (at % w % 8) & 1; got != state {
					t.Errorf("%s: bit (%d, %d) is %d", rule, at%w, at/w, got)
				}
			}
		}
		write(all)
		c.call("step", `{"generations":2}`, &at)
		after := ask("read", `,"first":2,"universes":1`, w*h)
		write(all)
		c.call("write", fmt.Sprintf(`{"file":%q,"first":0,"universes":%d,"generation":5}`, file, n), &done{})
		if c.call("step", `{"generations":2}`, &at); at.Generation != 7 {
			t.Errorf("generation %d after cells of generation 5 were written", at.Generation)
		}
		if again := ask("read", `,"first":2,"universes":1`, w*h); !slices.Equal(again, after) {
			t.Errorf("%s: cells that were written go on otherwise", rule)
		}
	}
}

func TestManyRefuse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(file, make([]byte, 30), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{"open", `{"universes":2,"rule":"B3/S23","size":"8","seed":3}`, "fill gives them seeds"},
		{"open", `{"universes":2,"rule":"3D4,5/5","size":"8"}`, "two dimensions"},
		{"open", `{"universes":2,"rule":"R5,C0,M1,S34..58,B34..45,NM:T3,3"}`, ""},
		{"open", `{"universes":99999999999,"size":"8"}`, "do not fit in memory"},
		{"open", `{"universes":-1,"size":"8"}`, "want at least 1"},
		{"fill", `{"file":"short"}`, "30 bytes; want 32"},
		{"population", `{"file":"none"}`, "no such file"},
		{"read", `{"file":"short","first":1,"universes":2}`, "there are 2"},
		{"write", `{"file":"short","first":0,"universes":1,"bits":true}`, "bits and handles are only read"},
		{"read", fmt.Sprintf(`{"universes":2,"handle":"%0128x"}`, 1), "engine cpu does not keep its cells on a GPU"},
		{"clusters", `{"file":"short","connectivity":5}`, "want 8, 6 or 4"},
		{"step", `{"generations":1,"until":"stable"}`, "for one universe"},
		{"census", `{}`, "no method"},
	} {
		s := dial(t)
		if c[0] != "open" {
			s.call("open", `{"universes":2,"rule":"B3/S23","size":"8x4"}`, &opened{})
		}
		s.send(c[0], strings.NewReplacer(`"short"`, fmt.Sprintf("%q", file), `"none"`, `"/none/there"`).Replace(c[1]))
		if m := s.receive(); m.Error == nil != (c[2] == "") || m.Error != nil && !strings.Contains(m.Error.Message, c[2]) {
			t.Errorf("%s %s: %v, want %q", c[0], c[1], m.Error, c[2])
		}
	}
}
