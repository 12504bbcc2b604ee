package mcell

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
)

// weightKeys has the keys of the weights of Weighted Life, in the order of a block's cells.
var weightKeys = []string{"NW", "NN", "NE", "WW", "ME", "EE", "SW", "SS", "SE"}

// isWeightedLife reports whether text begins with a key of Weighted Life and its number.
func isWeightedLife(text string) bool {
	return len(text) > 2 && strings.Contains(text, ",") &&
		slices.Contains(append(slices.Clone(weightKeys), "HI", "RS", "RB"), text[:2]) &&
		strings.IndexByte("-0123456789", text[2]) >= 0
}

// weightedLife reads "NW1,NN1,…,ME0,HI0,RS2,RS3,RB3": the weights of the neighbours and of the cell itself in
// state 1, the number of states, and the sums with which a cell survives and is born.
func weightedLife(text string) (Rule, error) {
	var weights [9]int
	var sums [2]map[int]bool
	sums[0], sums[1] = map[int]bool{}, map[int]bool{}
	states := 2
	for _, f := range split(text, ",") {
		key := f.text[:min(2, len(f.text))]
		cell := slices.Index(weightKeys, key)
		var err error
		switch {
		case cell >= 0:
			weights[cell], err = f.number(key, -256, 256)
		case key == "HI":
			states, err = f.states(key)
		case key == "RS" || key == "RB":
			var n int
			n, err = f.number(key, -2048, 2048)
			sums[strings.IndexByte("BS", key[1])][n] = true
		default:
			err = fail(f.at, "%q: %s, HI, RS and RB are allowed", f.text, strings.Join(weightKeys, ", "))
		}
		if err != nil {
			return Rule{}, err
		}
	}
	return Rule{States: states, Lives: func(block int) bool {
		sum := 0
		for cell, w := range weights {
			sum += w * (block >> (8 - cell) & 1)
		}
		return sums[block>>(8-local.C)&1][sum]
	}}, nil
}

// weightedGenerations reads "C3,SW0;1;0,PW1;1;1;1;1;1;1;1,RS2;3,RB3": states, the weight of each state, the
// weight of each neighbour row by row from the north-west, and the sums with which a cell survives and is born.
// The result is a weighted HROT rule.
func weightedGenerations(text string) (Rule, error) {
	lists := map[string][]int{}
	for _, f := range split(text, ",") {
		key := strings.TrimRight(f.text, "0123456789;")
		if key != "C" && key != "SW" && key != "PW" && key != "RS" && key != "RB" {
			return Rule{}, fail(f.at, "%q: C, SW, PW, RS and RB are allowed, and numbers from 0 between semicolons", f.text)
		}
		for _, part := range split(f.text[len(key):], ";") {
			if part.text == "" {
				continue
			}
			n, err := field{part.text, f.at + len(key) + part.at}.number("", 0, mostStates)
			if err != nil {
				return Rule{}, err
			}
			lists[key] = append(lists[key], n)
		}
	}
	const most = 15 // of a weight: a hexadecimal digit
	switch states := lists["C"]; {
	case len(states) != 1 || states[0] < 2 || states[0] > 16:
		return Rule{}, fail(0, "C with the number of states, 2 to 16, is missing")
	case len(lists["SW"]) != states[0] || slices.Max(lists["SW"]) > most:
		return Rule{}, fail(0, "SW has the weights of all %d states, 0 to %d", states[0], most)
	case len(lists["PW"]) != 8 || slices.Max(lists["PW"]) > most:
		return Rule{}, fail(0, "PW has the weights of 8 neighbours, 0 to %d", most)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "R1,C%d,S%s,B%s,NW", lists["C"][0], sumList(lists["RS"]), sumList(lists["RB"]))
	for _, w := range slices.Insert(lists["PW"], 4, 0) {
		fmt.Fprintf(&b, "%02x", w)
	}
	b.WriteByte(',')
	for _, w := range lists["SW"] {
		fmt.Fprintf(&b, "%x", w)
	}
	return Rule{Notation: b.String()}, nil
}

func sumList(sums []int) string {
	words := make([]string, len(sums))
	for i, n := range sums {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// binaryLine reads "R1,W1E", Wolfram's number in hexadecimal, and perhaps a number of states.
func binaryLine(text string) (Rule, error) {
	fields := split(text, ",")
	radius, err := fields[0].number("R", 1, 4)
	switch {
	case err != nil:
		return Rule{}, err
	case radius > 1:
		return Rule{}, fail(fields[0].at,
			"1-D binary rules of range %d: only range 1 is supported, Wolfram's rules W0 to W255", radius)
	case len(fields) > 2 && fields[2].text != "H0" && fields[2].text != "0":
		return Rule{}, fail(fields[2].at, "1-D binary rules with history are not supported")
	}
	code, ok := strings.CutPrefix(fields[1].text, "W")
	n, err := strconv.ParseUint(code, 16, 8)
	if !ok || err != nil {
		return Rule{}, fail(fields[1].at, "%q: W and a hexadecimal number up to FF is expected here", fields[1].text)
	}
	return Rule{Notation: fmt.Sprintf("W%d", n)}, nil
}

// vote returns a Vote for Life rule, whose counts include the cell itself, as births and survivals.
func vote(rule string) (string, error) {
	var born, stays string
	for _, c := range rule {
		n := int(c - '0')
		if n < 0 || n > 9 {
			return "", fmt.Errorf("rule %q of Vote for Life: only digits from 0 to 9 are allowed", rule)
		}
		if n < 9 {
			born += strconv.Itoa(n)
		}
		if n > 0 {
			stays += strconv.Itoa(n - 1)
		}
	}
	return "B" + born + "/S" + stays, nil
}

// totalisticLine reads "R3,C0,M1,S2,S3,B3", a rule of one dimension. Each row follows from the row above, and
// live cells remain live, as in Golly's W rules. The result is a weighted HROT rule: the cells above have
// weight 1, and the cell directly above has a weight greater than their sum.
func totalisticLine(rule string) (string, error) {
	radius, middle := 0, 0
	var born, survives []int
	for _, f := range split(rule, ",") {
		var err error
		n := 0
		switch f.text[:min(1, len(f.text))] {
		case "R":
			radius, err = f.number("R", 1, 10)
		case "C":
			if n, err = f.number("C", 0, mostStates); n > 2 {
				err = fmt.Errorf("1-D totalistic rule %q: history is not supported", rule)
			}
		case "M":
			middle, err = f.number("M", 0, 1)
		case "S":
			n, err = f.number("S", 0, 21)
			survives = append(survives, n)
		case "B":
			n, err = f.number("B", 0, 21)
			born = append(born, n)
		default:
			err = fmt.Errorf("1-D totalistic rule %q: R, C, M, S and B are allowed", rule)
		}
		if err != nil {
			return "", fmt.Errorf("1-D totalistic rule %q: %w", rule, err)
		}
	}
	if radius == 0 {
		return "", fmt.Errorf("1-D totalistic rule %q: the range R is missing", rule)
	}
	if slices.Contains(born, 0) {
		return "", fmt.Errorf("1-D totalistic rule %q: cells are born in empty lines, which would fill the plane", rule)
	}
	side := 2*radius + 1
	var sums []int
	for _, n := range born {
		if n < side {
			sums = append(sums, n)
		}
	}
	for _, n := range survives {
		if n -= middle; n >= 0 && n < side {
			sums = append(sums, side+n)
		}
	}
	slices.Sort(sums)
	var b strings.Builder
	fmt.Fprintf(&b, "R%d,C2,S0-%d,B%s,NW", radius, 2*side, sumList(slices.Compact(sums)))
	for y := range side {
		for x := range side {
			w := 0
			switch {
			case y == radius-1 && x == radius:
				w = side
			case y == radius-1:
				w = 1
			}
			fmt.Fprintf(&b, "%02x", w)
		}
	}
	return b.String(), nil
}
