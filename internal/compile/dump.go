package compile

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/rule"
)

// Stage is what a rule has become on its way to a program, to be read by people.
type Stage struct {
	Name string `json:"name"`
	Why  string `json:"why"`
	Text string `json:"text"`
}

// RowStages are the stages of a rule's program for executors that go along rows op after op.
func RowStages(r rule.Rule) []Stage {
	stages, g := rows().stages(circuit.Of(r))
	return append(stages, rowStage(g))
}

// ColumnStages are those for executors that go column after column.
func ColumnStages(r rule.Rule) []Stage {
	stages, g := columns().stages(circuit.Of(r))
	return append(stages, rowStage(g))
}

func rowStage(g *dataflow.Graph) Stage {
	return Stage{
		Name: "program", Why: "What a row is computed from: rows in memory, those that are used again kept in streams.", Text: rowprog.From(g).String(),
	}
}

// WarpStages are those for warps whose lanes have so many words; see Warp for the lead.
func WarpStages(r rule.Rule, words int, lead bool) []Stage {
	c := warpCircuit(r, words, lead)
	t, p := warpOf(c, r.Radius(), words, lead)
	stages, _ := t.stages(c)
	return append(stages, Stage{
		Name: "program", Why: "What a warp does for each row that enters, and for how many rows it remembers what it made.", Text: p.String(),
	})
}

// stages makes the graph of a circuit and tells how. Passes that change nothing are left out, and so are recipes that are not taken.
func (t target) stages(c *circuit.Circuit) ([]Stage, *dataflow.Graph) {
	stages := []Stage{{"circuit", "What the next state of a cell is, whatever the machine.", c.String()}}
	recipe, _ := t.shortest(c)
	last := ""
	g, _ := t.step(c, recipe, func(p dataflow.Pass, g *dataflow.Graph) {
		if text := g.String(); text != last {
			stages = append(stages, Stage{p.Name, p.Why, text})
			last = text
		}
	})
	return stages, g
}

// step makes the graph of a circuit by a recipe, false where that does not apply, and shows it after each pass.
func (t target) step(c *circuit.Circuit, recipe dataflow.Recipe, see func(dataflow.Pass, *dataflow.Graph)) (*dataflow.Graph, bool) {
	g, ok := dataflow.Build(c, recipe)
	if !ok {
		return nil, false
	}
	why := "The rows of bits that the circuit's tables become."
	if c.Sum() != nil {
		why = fmt.Sprintf("Rows of bits, the sum by recipe %s. %s", recipe.Name, recipe.Why)
	}
	see(dataflow.Pass{Name: "graph", Why: why}, g)
	g.Shorten(shorten, see)
	for _, p := range t.passes {
		p.Run(g)
		see(p, g)
	}
	return g, true
}
