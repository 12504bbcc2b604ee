package circuit

import (
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/local"
)

// TestCircuitsOfQuestionsSayWhatTheDefinitionSays tries random questions, and random states for their answers.
func TestCircuitsOfQuestionsSayWhatTheDefinitionSays(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(1, seed))
		states := 2 + rng.IntN(20)
		asking := &local.Asking{}
		for range 1 + rng.IntN(6) {
			var among []uint8
			for s := range states {
				if rng.IntN(3) == 0 {
					among = append(among, uint8(s))
				}
			}
			among = append(among, uint8(rng.IntN(states)))
			asking.Questions = append(asking.Questions, local.NewQuestion(among, func(int) bool { return rng.IntN(2) == 0 }))
		}
		results := make([]uint8, states<<len(asking.Questions))
		for i := range results {
			results[i] = uint8(rng.IntN(states))
		}
		asking.Next = func(state uint8, yes func(int) bool) uint8 {
			at := int(state)
			for q := range asking.Questions {
				if at *= 2; (int(state)+q)%4 != 0 && yes(q) { // some states do not ask everything
					at++
				}
			}
			return results[at]
		}
		f, err := asking.Function(states)
		if err != nil {
			t.Fatal(err)
		}
		checkLocal(t, "questions", f)
	}
}

// TestMarksAreCheap checks that 26 states take hundreds of tables, not the hundreds of thousands that a choice
// among all their blocks would take.
func TestMarksAreCheap(t *testing.T) {
	for name, most := range map[string]int{"B3/S23History": 40, "B3/S23Super": 450, "B3/S23Investigator": 160} {
		r, err := rule.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if c := Of(r); len(c.Nodes) > most {
			t.Errorf("%s takes %d nodes, want %d or fewer", name, len(c.Nodes), most)
		}
		checkLocal(t, name, r.Local)
	}
}
