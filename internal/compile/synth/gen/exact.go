package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/internal/compile/synth/internal/tail"
)

// row is a point of a function: the values of the inputs (bit i is input i) and the required output.
type row struct {
	inputs uint32
	output bool
}

// verdict is the result of a search for a network.
type verdict int

const (
	unknown verdict = iota // the time ran out
	found
	impossible
)

// exact asks cadical for a network of exactly k gates over the given inputs, the first numbers of tail.Gate.
// The encoding is that of Kojevnikov, Kulikov and Yaroslavtsev 2009 ("Finding efficient circuits using
// SAT-solvers") with one selection variable for each triple of operands.
func exact(ctx context.Context, rows []row, inputs, k, seconds int) ([]tail.Gate, verdict, error) {
	var f formula
	value := make([][]int, k) // gate, row
	table := make([][8]int, k)
	selected := make([][]int, k) // gate, triple
	triples := make([][][3]int, k)
	for g := range k {
		value[g] = f.variables(len(rows))
		copy(table[g][:], f.variables(8))
		triples[g] = tail.Triples(inputs + g)
		selected[g] = f.variables(len(triples[g]))
		f.exactlyOne(selected[g])
		if g < k-1 {
			f.add(-table[g][0]) // a gate's value for zeros is 0: the gates that read it include any complement
		}
	}
	literal := func(signal, r int, bit bool) (lit int, fixed, holds bool) {
		if signal < inputs {
			return 0, true, (rows[r].inputs>>signal&1 == 1) == bit
		}
		v := value[signal-inputs][r]
		if bit {
			v = -v
		}
		return v, false, false
	}
	for g := range k {
		for t, triple := range triples[g] {
			for r := range rows {
				for index := range 8 {
					// If gate g reads this triple, and the triple has the values of index in row r, then the gate's value is this
					// entry of its table. That is an implication in both directions, and so two clauses. Operands that are inputs
					// have known values: they add nothing to a clause, or they make it hold.
					clause := []int{-selected[g][t]}
					possible := true
					for i, signal := range triple {
						lit, fixed, holds := literal(signal, r, index>>(2-i)&1 == 1)
						switch {
						case fixed && !holds:
							possible = false
						case !fixed:
							clause = append(clause, lit)
						}
					}
					if possible {
						f.add(append(clause, -table[g][index], value[g][r])...)
						f.add(append(clause, table[g][index], -value[g][r])...)
					}
				}
			}
		}
	}
	for r := range rows {
		if rows[r].output {
			f.add(value[k-1][r])
		} else {
			f.add(-value[k-1][r])
		}
	}
	for signal := inputs; signal < inputs+k-1; signal++ { // a network with an unused gate could be smaller
		var readers []int
		for g := range k {
			for t, triple := range triples[g] {
				if triple[0] == signal || triple[1] == signal || triple[2] == signal {
					readers = append(readers, selected[g][t])
				}
			}
		}
		f.add(readers...)
	}
	for g := range k - 1 { // gates that do not read each other are in the order of their triples
		for t, triple := range triples[g] {
			for u, next := range triples[g+1] {
				if next[0] != inputs+g && next[1] != inputs+g && next[2] != inputs+g && before(next, triple) {
					f.add(-selected[g][t], -selected[g+1][u])
				}
			}
		}
	}
	model, v, err := f.solve(ctx, seconds)
	if v != found || err != nil {
		return nil, v, err
	}
	gates := make([]tail.Gate, k)
	for g := range gates {
		for t, triple := range triples[g] {
			if model[selected[g][t]] {
				gates[g] = tail.Gate{A: triple[0], B: triple[1], C: triple[2]}
			}
		}
		for index, variable := range table[g] {
			if model[variable] {
				gates[g].Imm |= 1 << index
			}
		}
	}
	return gates, found, nil
}

// before compares triples in colexicographic order: by the largest operand first.
func before(x, y [3]int) bool {
	for i := range x {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return false
}

// formula is a formula in conjunctive normal form, as DIMACS text.
type formula struct {
	count   int // variables, numbered from 1
	clauses int
	text    bytes.Buffer
}

func (f *formula) variables(n int) []int {
	v := make([]int, n)
	for i := range v {
		f.count++
		v[i] = f.count
	}
	return v
}

// add adds a clause in the format of DIMACS: literals, then 0.
func (f *formula) add(clause ...int) {
	var digits []byte
	for _, literal := range clause {
		digits = append(strconv.AppendInt(digits, int64(literal), 10), ' ')
	}
	f.text.Write(append(digits, '0', '\n'))
	f.clauses++
}

// exactlyOne adds the sequential encoding: prefix i says that one of the first i+1 is set.
func (f *formula) exactlyOne(v []int) {
	f.add(v...)
	prefix := f.variables(len(v))
	for i := range v {
		f.add(-v[i], prefix[i])
		if i > 0 {
			f.add(-prefix[i-1], prefix[i])
			f.add(-prefix[i-1], -v[i])
		}
	}
}

// solve runs cadical and returns the values of the variables, by their number.
func (f *formula) solve(ctx context.Context, seconds int) (map[int]bool, verdict, error) {
	file, err := os.CreateTemp("", "synth-*.cnf")
	if err != nil {
		return nil, unknown, err
	}
	defer os.Remove(file.Name())
	fmt.Fprintf(file, "p cnf %d %d\n", f.count, f.clauses)
	if _, err := file.Write(f.text.Bytes()); err != nil {
		return nil, unknown, err
	}
	if err := file.Close(); err != nil {
		return nil, unknown, err
	}
	output, err := exec.CommandContext(ctx, "cadical", "-q", "-t", strconv.Itoa(seconds), file.Name()).Output()
	if output == nil && err != nil {
		return nil, unknown, err
	}
	model, result := map[int]bool{}, unknown
	for lines := bufio.NewScanner(bytes.NewReader(output)); lines.Scan(); {
		line := lines.Text()
		switch {
		case line == "s SATISFIABLE":
			result = found
		case line == "s UNSATISFIABLE":
			result = impossible
		case strings.HasPrefix(line, "v "):
			for _, field := range strings.Fields(line[2:]) {
				if literal, err := strconv.Atoi(field); err == nil && literal > 0 {
					model[literal] = true
				}
			}
		}
	}
	return model, result, nil
}
