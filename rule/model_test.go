package rule_test

import (
	"math"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/model"
)

// Every model has a notation that reads back, with its usual parameters, with others, and with a seed.
func TestModels(t *testing.T) {
	for _, m := range model.All() {
		forms := []model.Model{m}
		if solid, ok := model.Lookup("3D" + m.Name); ok {
			forms = append(forms, solid)
		}
		for _, m := range forms {
			for _, text := range []string{m.Name, strings.ToLower(m.Name) + "~seed=3", m.Name + "~" + m.Options()} {
				r, err := rule.Parse(strings.TrimSuffix(text, "~"))
				if err != nil {
					t.Errorf("%s: %v", text, err)
					continue
				}
				if !strings.HasPrefix(r.String(), m.Name) || r.Chance == nil {
					t.Errorf("%s is written %v", text, r)
				}
				checkRoundTrip(t, r)
			}
		}
	}
	for text, want := range map[string]string{
		"Ising~T=0": "from 0.01", "Ising~q=1": "T=2.269", "Voter~T=1": "no parameters", "Ising~T=2,flip=0.1": "seed=N",
		"SIR~infect=x": "from 0 to 1",
		"Potts~q=2.5":  "q of Potts", "Potts~q=17": "from 2 to 16", "Sandpile~p=0,seed=3": "nothing in Sandpile~p=0",
		"FHP~T=1":       "no parameters",
		"Potts~q=3,q=4": "q of Potts is given twice", "Ising~seed=-1": "whole number", "Ising~": "T=2.269",
		"InstantForestFire~frozen=0.1": "burn forever",
	} {
		if _, err := rule.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// The probabilities of models are what their definitions say, for each state and number of neighbours.
func TestModelsFollowTheirDefinitions(t *testing.T) {
	const beta = 1 / 2.5
	for text, goes := range map[string]func(state int, n float64) float64{
		"Ising~T=2.5": func(s int, n float64) float64 { // detailed balance by Metropolis: the energy of a bond is -1 or +1
			spin := float64(2*s - 1)
			before := -spin * (n - (4 - n))
			return math.Min(1, math.Exp(-beta*(-before-before)))
		},
		"Glauber~T=2.5": func(s int, n float64) float64 { // Boltzmann weights of the new spin
			up, down := math.Exp(beta*(2*n-4)), math.Exp(-beta*(2*n-4))
			return []float64{up, down}[s] / (up + down)
		},
		"MajorityVote~q=0.1": func(s int, n float64) float64 {
			up := 0.1
			if n == 2 {
				up = 0.5
			} else if n > 2 {
				up = 0.9
			}
			return math.Abs(float64(s) - up)
		},
		"Voter":                   func(s int, n float64) float64 { return math.Abs(float64(s) - n/4) },
		"Contact~lambda=2,dt=0.1": func(s int, n float64) float64 { return []float64{0.05 * n, 0.1}[s] },
		"SIRS~infect=0.3,recover=0.2,wane=0.1": func(s int, n float64) float64 {
			return []float64{1 - math.Pow(0.7, n), 0.2, 0.1}[s]
		},
		"SIR~infect=0.3,recover=0.2": func(s int, n float64) float64 { return []float64{1 - math.Pow(0.7, n), 0.2, 0}[s] },
		"ForestFire~p=0.01,f=0.001": func(s int, n float64) float64 {
			return []float64{0.01, math.Max(0.001, math.Min(n, 1)), 1}[s]
		},
		"InstantForestFire~p=0.01,f=0.001": func(s int, _ float64) float64 { return []float64{0.01, 0.001, 1}[s] },
		"NoisyGH~f=0.01": func(s int, n float64) float64 {
			return []float64{math.Max(0.01, math.Min(n, 1)), 1, 1}[s]
		},
		"DomanyKinzel~p1=0.6,p2=0.8": func(s int, n float64) float64 {
			return math.Abs(float64(s) - []float64{0, 0.6, 0.8}[int(n)])
		},
		"BondDP~p=0.6": func(s int, n float64) float64 {
			return math.Abs(float64(s) - (1 - math.Pow(0.4, n)))
		},
		"SiteDP~p=0.6": func(s int, n float64) float64 {
			return math.Abs(float64(s) - 0.6*math.Min(n, 1))
		},
		"BondDP2~p=0.3": func(s int, n float64) float64 {
			return math.Abs(float64(s) - (1 - math.Pow(0.7, n)))
		},
		"SiteDP2~p=0.3": func(s int, n float64) float64 {
			return math.Abs(float64(s) - 0.3*math.Min(n, 1))
		},
		"3DIsing~T=2.5": func(s int, n float64) float64 {
			spin := float64(2*s - 1)
			before := -spin * (n - (6 - n))
			return math.Min(1, math.Exp(-beta*(-before-before)))
		},
		"3DGlauber~T=2.5": func(s int, n float64) float64 {
			up, down := math.Exp(beta*(2*n-6)), math.Exp(-beta*(2*n-6))
			return []float64{up, down}[s] / (up + down)
		},
		"3DMajorityVote~q=0.1": func(s int, n float64) float64 {
			return math.Abs(float64(s) - []float64{0.1, 0.1, 0.1, 0.5, 0.9, 0.9, 0.9}[int(n)])
		},
		"3DVoter":                   func(s int, n float64) float64 { return math.Abs(float64(s) - n/6) },
		"3DContact~lambda=3,dt=0.1": func(s int, n float64) float64 { return []float64{0.05 * n, 0.1}[s] },
		"3DForestFire~p=0.01,f=0.001": func(s int, n float64) float64 {
			return []float64{0.01, math.Max(0.001, math.Min(n, 1)), 1}[s]
		},
	} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for s := range r.States {
			for n := range r.Neighbourhood.Size() + 1 {
				got, want := r.Chance.Probability(uint8(s), n).Float(), goes(s, float64(n))
				if math.Abs(got-want) > 0x1p-32 {
					t.Errorf("%s: state %d with %d neighbours goes on with %g, want %g", text, s, n, got, want)
				}
			}
		}
		name := strings.TrimPrefix(text, "3D")
		if spins := strings.HasPrefix(name, "Ising") || strings.HasPrefix(name, "G") || strings.HasPrefix(name, "M") ||
			name == "Voter"; r.Chance.Checkerboard != spins {
			t.Errorf("%s: checkerboard %v", text, r.Chance.Checkerboard)
		}
	}
}
