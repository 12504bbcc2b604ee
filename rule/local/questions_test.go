package local

import (
	"testing"

	"github.com/gosper-life/gosper/topology"
)

func TestFunctionsThatAskAreChecked(t *testing.T) {
	questions := []Question{Some([]int{N}, 1), Some([]int{E}, 2)}
	for what, next := range map[string]func(uint8, func(int) bool) uint8{
		"too large a state":           func(uint8, func(int) bool) uint8 { return 3 },
		"too large a state after yes": func(_ uint8, yes func(int) bool) uint8 { return map[bool]uint8{true: 4}[yes(1)] },
		"falling order": func(_ uint8, yes func(int) bool) uint8 {
			if yes(1) && yes(0) {
				return 1
			}
			return 0
		},
		"no such question": func(_ uint8, yes func(int) bool) uint8 { return map[bool]uint8{true: 1}[yes(2)] },
	} {
		if f, err := (&Asking{Questions: questions, Next: next}).Function(3); err == nil {
			t.Errorf("%s: %v is a function", what, f)
		}
	}
}

func TestFunctionsThatAskKnowTheirSymmetries(t *testing.T) {
	ask := func(questions ...Question) *Function {
		a := &Asking{Questions: questions, Next: func(c uint8, yes func(int) bool) uint8 {
			for q := range questions {
				if yes(q) {
					return uint8(q + 1)
				}
			}
			return c
		}}
		f, err := a.Function(3)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	lopsided := ask(Some([]int{N}, 1))
	for s, want := range map[topology.Symmetry]bool{
		topology.MirrorX: true, topology.MirrorY: false,
		topology.QuarterTurn: false,
	} {
		if lopsided.Invariant(s) != want {
			t.Errorf("%v: invariant %v", s, !want)
		}
	}
	if round := ask(Some([]int{N, E, S, W}, 1), Some([]int{NW, NE, SE, SW}, 2)); !round.Invariant(topology.QuarterTurn) ||
		round.DependsOn(N) != true {
		t.Error("a function of all sides and all corners is not invariant")
	}
	if lopsided.DependsOn(S) || !lopsided.DependsOn(N) {
		t.Error("it depends on the cell above and on no other")
	}
	if !lopsided.Equal(ask(Some([]int{N}, 1))) || lopsided.Equal(ask(Some([]int{N}, 2))) ||
		lopsided.Equal(ask(Some([]int{N}, 1), Some([]int{N}, 2))) {
		t.Error("functions are equal exactly if they ask the same")
	}
}
