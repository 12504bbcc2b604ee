// Package rulefiletest makes random rule tables for tests.
package rulefiletest

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// Symmetries are those of each neighbourhood, in the words of rule files.
var Symmetries = []struct {
	Neighbourhood string
	inputs        int
	Symmetries    []string
}{
	{"vonNeumann", 5, []string{"none", "rotate4", "rotate4reflect", "reflect_horizontal", "permute"}},
	{"Moore", 9, []string{
		"none", "rotate4", "rotate8", "rotate4reflect", "rotate8reflect", "reflect_horizontal",
		"permute",
	}},
	{"hexagonal", 7, []string{"none", "rotate2", "rotate3", "rotate6", "rotate6reflect", "permute"}},
	{"oneDimensional", 3, []string{"none", "reflect", "permute"}},
}

const (
	prefix         = "random"
	functionPrefix = "function"
)

// Functions are neighbourhoods of functions by their names here, and as rule files write them. Those of three
// dimensions come last.
var Functions = []struct {
	Name, Cells string
	near        int // the number of neighbours
}{
	{"M1", "M1", 8},
	{"N1", "N1", 4},
	{"H1", "H1", 6},
	{"N2", "N2", 12},
	{"M2", "M2", 24},
	{"+3", "+3", 12},
	{"M4", "M4", 80},
	{"line1", "(-1,0) (1,0)", 2},
	{"line3", "(-3,0) (-2,0) (-1,0) (1,0) (2,0) (3,0)", 6},
	{"skew", "(-2,-1) (0,1) (3,1)", 3},
	{"3DN1", "3DN1", 6},
	{"3DM1", "3DM1", 26},
}

// FunctionName returns the name of a random function, which determines it. Inputs are states or counts. With "-chancy"
// behind the name, it has probabilities. Tables of many states of many neighbours are too large.
func FunctionName(neighbourhood, inputs string, states int, seed uint64) string {
	return fmt.Sprintf("%s-%s-%s-%d-%d", functionPrefix, neighbourhood, inputs, states, seed)
}

// functionText returns the rule file of a random function. A cell in state 0 among cells in state 0 does not change. If
// it counts, it only knows which of a few ranges the numbers are in, and compares two of them.
func functionText(name, neighbourhood, inputs string, states int, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, uint64(states)))
	hood := Functions[0]
	for _, hood = range Functions {
		if hood.Name == neighbourhood {
			break
		}
	}
	results := states
	var b strings.Builder
	fmt.Fprintf(&b, "@RULE %s\n@FUNCTION\nn_states:%d\nneighborhood:%s\ninputs:%s\n", name, states, hood.Cells,
		inputs)
	if strings.HasSuffix(name, "-chancy") {
		for range 3 {
			below := uint64(1)<<32 - rng.Uint64N(1<<32-1) - 1
			fmt.Fprintf(&b, "outcome:%d %d %d %d\n", max(below, 1), rng.IntN(states), uint64(1)<<32, rng.IntN(states))
			results++
		}
	}
	w := local.Wide{States: states, Counting: inputs == "counts", Near: make([]local.Place, hood.near)}
	bound, next := 1+rng.IntN(max(1, hood.near/2)), map[string]uint8{}
	err := w.Fill(func(cell uint8, near []int) uint8 {
		key := fmt.Sprint(cell, near)
		if w.Counting {
			key = fmt.Sprint(cell, near[1] >= bound, near[1] > near[0])
		}
		if _, ok := next[key]; !ok {
			next[key] = uint8(rng.IntN(results))
		}
		return next[key]
	})
	if err != nil {
		panic("rulefiletest: " + err.Error())
	}
	w.Next[0] = 0
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(w.Next)
	z.Close()
	return b.String() + "table:" + base64.StdEncoding.EncodeToString(packed.Bytes()) + "\n"
}

// Filling ends the name of a table that has transitions for every neighbourhood, even for a cell among cells of its
// own state. In such a table, cells among cells in state 0 do not stay in state 0.
const Filling = "-filling"

// Name returns the name of a random table, which determines the table. With "-chancy" behind it, the table has
// probabilities. See also Filling.
func Name(neighbourhood, symmetry string, states int, seed uint64) string {
	return fmt.Sprintf("%s-%s-%s-%d-%d", prefix, neighbourhood, symmetry, states, seed)
}

// Define makes the table of a Name known to rulefile.Find. It does nothing for other names.
func Define(name string) error {
	name, _, _ = strings.Cut(name, "~")
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(name, "-chancy"), Filling), "-")
	if len(parts) != 5 || parts[0] != prefix && parts[0] != functionPrefix {
		return nil
	}
	states, err := strconv.Atoi(parts[3])
	if err != nil {
		return fmt.Errorf("random table %s: %w", name, err)
	}
	seed, err := strconv.ParseUint(parts[4], 10, 64)
	if err != nil {
		return fmt.Errorf("random table %s: %w", name, err)
	}
	text := Text
	if parts[0] == functionPrefix {
		text = functionText
	}
	f, err := rulefile.Limits{}.Parse(name+".rule", []byte(text(name, parts[1], parts[2], states, seed)))
	if err != nil {
		return err
	}
	rulefile.Add(f)
	return nil
}

// Text returns the rule file of a random table. Its transitions have states, variables that occur once, and
// variables that occur several times and as the result. A cell in state 0 among cells in state 0 does not
// change, unless the table is Filling. Some transitions contradict earlier ones.
func Text(name, neighbourhood, symmetry string, states int, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, uint64(states)))
	inputs := 0
	for _, s := range Symmetries {
		if s.Neighbourhood == neighbourhood {
			inputs = s.inputs
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "@RULE %s\n@TABLE\nn_states:%d\nneighborhood:%s\nsymmetries:%s\n", name, states, neighbourhood,
		symmetry)
	fmt.Fprintf(&b, "var any={%s}\n", list(states, func(int) bool { return true }))
	wide := []string{"any"} // variables that stand for about half of the states
	for i := range 3 {
		v := fmt.Sprintf("v%d", i)
		must := rng.IntN(states)
		fmt.Fprintf(&b, "var %s={%s}\n", v, list(states, func(s int) bool { return s == must || rng.IntN(2) == 0 }))
		wide = append(wide, v)
	}
	const bound = "x" // occurs several times
	fmt.Fprintf(&b, "var %s={%d,%d,%d}\n", bound, rng.IntN(states), rng.IntN(states), rng.IntN(states))
	// "any" may occur several times and match a different state each time, so each input has a copy of it.
	for i := range inputs {
		for _, v := range wide {
			fmt.Fprintf(&b, "var %s_%d=%s\n", v, i, v)
		}
	}
	if strings.HasSuffix(name, Filling) {
		for s := range states {
			next := rng.IntN(states)
			if s == 0 {
				next = 1 + rng.IntN(states-1)
			}
			fmt.Fprintf(&b, "%s%d\n", strings.Repeat(fmt.Sprintf("%d,", s), inputs), next)
		}
	} else {
		b.WriteString(strings.Repeat("0,", inputs) + "0\n")
	}
	for range 4 + rng.IntN(8) {
		line := make([]string, inputs+1)
		bindings := 0
		for i := range inputs {
			switch rng.IntN(8) {
			case 0, 1:
				line[i] = strconv.Itoa(rng.IntN(states))
			case 2:
				line[i] = bound
				bindings++
			default:
				line[i] = fmt.Sprintf("%s_%d", wide[rng.IntN(len(wide))], i)
			}
		}
		line[inputs] = strconv.Itoa(rng.IntN(states))
		if bindings > 0 && rng.IntN(2) == 0 {
			line[inputs] = bound
		}
		b.WriteString(strings.Join(line, ","))
		if strings.HasSuffix(name, "-chancy") && rng.IntN(3) > 0 {
			b.WriteString([]string{" ~0.5", "~0.01", " ~ 0.7"}[rng.IntN(3)])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func list(states int, in func(s int) bool) string {
	var words []string
	for s := range states {
		if in(s) {
			words = append(words, strconv.Itoa(s))
		}
	}
	return strings.Join(words, ",")
}
