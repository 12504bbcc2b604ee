package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"time"
)

var prefixes = map[string][]gate{
	"none": nil,
	"sp":   {{0x96, 6, 2, 0}},
	"t":    {{0x96, 4, 2, 0}},
	"tc":   {{0x96, 4, 2, 0}, {0xE8, 4, 2, 0}},
	"tcu":  {{0x96, 4, 2, 0}, {0xE8, 4, 2, 0}, {0x96, 5, 3, 1}},
	"tcv":  {{0x96, 4, 2, 0}, {0xE8, 4, 2, 0}, {0xE8, 5, 3, 1}},
	"tuv":  {{0x96, 4, 2, 0}, {0x96, 5, 3, 1}, {0xE8, 5, 3, 1}},
}

func try(name, pre string, k, sec int) bool {
	prefix := prefixes[pre]
	b, s := parse(name)
	rows := countRows(b, s)
	for j, g := range prefix {
		for i := range rows {
			in := rows[i].inputs
			rows[i].inputs |= uint32(g.imm>>(in>>g.a&1<<2|in>>g.b&1<<1|in>>g.c&1)&1) << (7 + j)
		}
	}
	t0 := time.Now()
	g, v, _ := exact(context.Background(), rows, 7+len(prefix), k-len(prefix), sec)
	fmt.Println(name, pre, k, v, append(append([]gate{}, prefix...), g...), time.Since(t0).Seconds())
	return v == found
}

func main() {
	if os.Args[1] == "table" {
		s := newTableSearch()
		s.systematic(os.Stderr)
		save := func() {
			var buf []byte
			for i, e := range s.entries {
				_ = i
				buf = binary.LittleEndian.AppendUint32(buf, uint32(e))
			}
			os.WriteFile(os.Args[2], buf, 0o644)
		}
		save()
		s.random(6*time.Minute, os.Stderr)
		save()
		return
	}
	names := os.Args[1:]
	done := map[string]int{}
	for _, n := range names {
		done[n] = 99
	}
	step := func(k, sec int, pres ...string) {
		for _, n := range names {
			if done[n] <= k || done[n] > k+1 && done[n] != 99 {
				continue
			}
			for _, p := range pres {
				if try(n, p, k, sec) {
					done[n] = k
					break
				}
			}
		}
	}
	for _, n := range names {
		for k := 3; k <= 5; k++ {
			if try(n, "none", k, 3) {
				done[n] = k
				break
			}
		}
	}
	step(7, 15, "tcu", "tcv", "tc", "tuv")
	step(6, 25, "sp", "t", "tc")
	step(8, 15, "tcu", "tcv", "tc", "tuv")
	step(7, 40, "tc", "tuv", "sp")
	step(6, 60, "sp", "t", "tc")
	step(6, 120, "sp", "t", "tc")
}

func parse(name string) (birth, survival uint16) {
	set := &birth
	for _, r := range name {
		switch {
		case r == '/':
			set = &survival
		case r >= '0' && r <= '8':
			*set |= 1 << (r - '0')
		}
	}
	return
}

func countRows(birth, survival uint16) []row {
	var rows []row
	for l := range uint32(4) {
		for c := range uint32(4) {
			for r := range uint32(4) {
				for s := range uint32(2) {
					if s == 1 && c == 0 || s == 0 && c == 3 {
						continue
					}
					set, n := birth, l+c+r
					if s == 1 {
						set, n = survival, n-1
					}
					rows = append(rows, row{l | c<<2 | r<<4 | s<<6, set>>n&1 == 1})
				}
			}
		}
	}
	return rows
}
