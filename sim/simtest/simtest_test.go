package simtest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/rulefiletest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/sim/simtest"
	"pgregory.net/rapid"
)

func openReference(cfg sim.Config) (sim.Engine, error) {
	return reference.Open(context.Background(), cfg)
}

// recorder is a TB that keeps what it is told, and ends the suite at the first error where cancel is set.
type recorder struct {
	cancel           context.CancelFunc
	ctx              context.Context
	errors, messages []string
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return r.ctx }
func (r *recorder) Errorf(f string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(f, args...))
	if r.cancel != nil {
		r.cancel()
	}
}

func (r *recorder) Logf(f string, args ...any) {
	r.messages = append(r.messages, fmt.Sprintf(f, args...))
}

// faulty is the reference with one thing wrong with it.
type faulty struct {
	sim.Engine
	population func(uint64) uint64
	read       func(dst []uint64, plane, x, y, n int) error
	write      func(src []uint64, plane, x, y, n int) error
	step       func(ctx context.Context, n uint64) (uint64, error)
	generation func(uint64) uint64
	info       func(sim.Info) sim.Info
	close      func()
}

func (f *faulty) Close() error {
	if f.close != nil {
		f.close()
	}
	return f.Engine.Close()
}

func (f *faulty) Population() (uint64, error) {
	n, err := f.Engine.Population()
	if f.population != nil {
		n = f.population(n)
	}
	return n, err
}

func (f *faulty) ReadRow(dst []uint64, plane, x, y, n int) error {
	if f.read != nil {
		return f.read(dst, plane, x, y, n)
	}
	return f.Engine.ReadRow(dst, plane, x, y, n)
}

func (f *faulty) WriteRow(src []uint64, plane, x, y, n int) error {
	if f.write != nil {
		return f.write(src, plane, x, y, n)
	}
	return f.Engine.WriteRow(src, plane, x, y, n)
}

func (f *faulty) Step(ctx context.Context, n uint64) (uint64, error) {
	if f.step != nil {
		return f.step(ctx, n)
	}
	return f.Engine.Step(ctx, n)
}

func (f *faulty) Generation() uint64 {
	if f.generation != nil {
		return f.generation(f.Engine.Generation())
	}
	return f.Engine.Generation()
}

func (f *faulty) Info() sim.Info {
	if f.info != nil {
		return f.info(f.Engine.Info())
	}
	return f.Engine.Info()
}

// Every fault is found, and told with a way to repeat it.
func TestFaultsAreFound(t *testing.T) {
	open := map[string]sim.Engine{}
	faults := map[string]func(f *faulty, cfg sim.Config){
		"one cell wrong at the right edge": func(f *faulty, cfg sim.Config) {
			f.step = func(ctx context.Context, n uint64) (uint64, error) {
				done, err := f.Engine.Step(ctx, n)
				if cfg.Topology.Kind == 3 && done >= 7 { // Klein bottles only, after a long step only
					var word [1]uint64
					err = errors.Join(err, f.Engine.ReadRow(word[:], 0, cfg.Topology.W-1, 0, 1))
					err = errors.Join(err, f.Engine.WriteRow([]uint64{^word[0]}, 0, cfg.Topology.W-1, 0, 1))
				}
				return done, err
			}
		},
		"population of a universe that died": func(f *faulty, _ sim.Config) {
			f.population = func(n uint64) uint64 { return max(n, 1) }
		},
		"spare bits left": func(f *faulty, _ sim.Config) {
			f.read = func(dst []uint64, plane, x, y, n int) error {
				err := f.Engine.ReadRow(dst, plane, x, y, n)
				if n%64 != 0 {
					dst[n/64] |= 1 << 63
				}
				return err
			}
		},
		"a word too many read": func(f *faulty, _ sim.Config) {
			f.read = func(dst []uint64, plane, x, y, n int) error {
				err := f.Engine.ReadRow(dst, plane, x, y, n)
				if words := (n + 63) / 64; words < len(dst) {
					dst[words] = 0
				}
				return err
			}
		},
		"cells from beyond the left edge": func(f *faulty, _ sim.Config) {
			f.write = func(src []uint64, plane, x, y, n int) error {
				return f.Engine.WriteRow(src, plane, max(x, -400), max(y, 0), n)
			}
		},
		"source of a write changed": func(f *faulty, _ sim.Config) {
			f.write = func(src []uint64, plane, x, y, n int) error {
				err := f.Engine.WriteRow(src, plane, x, y, n)
				clear(src)
				return err
			}
		},
		"step of 0 does one": func(f *faulty, _ sim.Config) {
			f.step = func(ctx context.Context, n uint64) (uint64, error) {
				_, err := f.Engine.Step(ctx, max(n, 1))
				return n, err
			}
		},
		"cancellation ignored": func(f *faulty, _ sim.Config) {
			f.step = func(ctx context.Context, n uint64) (uint64, error) {
				return f.Engine.Step(context.WithoutCancel(ctx), min(n, 100))
			}
		},
		"generations of a cut step lost": func(f *faulty, _ sim.Config) {
			f.step = func(ctx context.Context, n uint64) (uint64, error) {
				done, err := f.Engine.Step(ctx, n)
				if err != nil {
					f.Engine.Step(context.WithoutCancel(ctx), 1) // goes on behind the caller's back
				}
				return done, err
			}
		},
		"generation 32 bits wide": func(f *faulty, _ sim.Config) {
			f.generation = func(g uint64) uint64 { return uint64(uint32(g)) }
		},
		"no plan named": func(f *faulty, _ sim.Config) {
			f.info = func(i sim.Info) sim.Info { i.Plan = ""; return i }
		},
		"background forgotten": func(f *faulty, _ sim.Config) {
			f.info = func(i sim.Info) sim.Info { i.Background = 0; return i }
		},
		"state shared between engines": func(f *faulty, cfg sim.Config) {
			key := fmt.Sprintf("%+v", cfg)
			if e, live := open[key]; live {
				f.Engine = e
			}
			open[key] = f.Engine
			f.close = func() { delete(open, key) }
		},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			tb := &recorder{ctx: ctx, cancel: cancel}
			simtest.Run(tb, func(cfg sim.Config) (sim.Engine, error) {
				e, err := openReference(cfg)
				if err != nil {
					return nil, err
				}
				f := &faulty{Engine: e}
				fault(f, cfg)
				return f, nil
			}, simtest.Options{Partial: true})
			if len(tb.errors) == 0 {
				t.Fatal("not found")
			}
			for _, e := range tb.errors {
				if !strings.Contains(e, "simtest.Case{Rule: ") || strings.Contains(e, "\n") {
					t.Errorf("%q does not say in one line how to repeat it", e)
				}
			}
		})
	}
}

// A failure repeats from what its message says.
func TestCaseRepeats(t *testing.T) {
	c := simtest.Case{Rule: "B3/S23", Topology: "K63*,65", Seed: 3, Percent: 50, Steps: []uint64{1, 2}}
	const want = `simtest.Case{Rule: "B3/S23", Topology: "K63*,65", Seed: 3, Percent: 50, Steps: []uint64{0x1, 0x2}}`
	if c.String() != want {
		t.Errorf("prints as %v", c)
	}
	one := func(cfg sim.Config) (sim.Engine, error) {
		e, err := openReference(cfg)
		return &faulty{Engine: e, population: func(n uint64) uint64 { return n &^ 1 }}, err
	}
	first, second := simtest.Check(t.Context(), one, c), simtest.Check(t.Context(), one, c)
	if first == nil || first.Error() != second.Error() || !strings.HasSuffix(first.Error(), want) {
		t.Errorf("first %v, then %v", first, second)
	}
	if err := simtest.Check(t.Context(), openReference, c); err != nil {
		t.Error(err)
	}
}

// An engine that refuses what the suite asks for does not pass by doing so.
func TestRefusing(t *testing.T) {
	refuse := func(sim.Config) (sim.Engine, error) { return nil, &sim.Unsupported{Engine: "lazy", Why: "it is late"} }
	for _, partial := range []bool{false, true} {
		tb := &recorder{ctx: t.Context()}
		simtest.Run(tb, refuse, simtest.Options{Partial: partial})
		if len(tb.errors) != 1 || !strings.Contains(tb.errors[0], "it is late") {
			t.Errorf("partial %v: %q", partial, tb.errors)
		}
	}
}

func TestVerify(t *testing.T) {
	calls, last := 0, 0
	r, err := simtest.Verify(t.Context(), "reference", true, func(done, total int) {
		calls++
		last = total
		if done != calls {
			t.Errorf("progress %d of %d at call %d", done, total, calls)
		}
	})
	if err != nil || !r.OK() || r.Checks != last || calls != last || r.Checks < 200 || r.Refused() > 12 ||
		r.Passed() != r.Checks-r.Refused() {
		t.Errorf("%+v after %d calls, %v", r, calls, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := simtest.Verify(ctx, "reference", true, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if r, err := simtest.Verify(t.Context(), "abacus", true, nil); err != nil || r.OK() {
		t.Errorf("an engine that does not exist: %+v, %v", r, err)
	}
}

// The fixed list has every family on every topology, B0 rules, several states, and rules that Parse accepts; it never
// changes between two calls.
func TestCases(t *testing.T) {
	cases := simtest.Cases(false)
	if again := simtest.Cases(false); !slices.EqualFunc(cases, again, func(a, b simtest.Case) bool {
		return a.String() == b.String()
	}) {
		t.Error("the list changed")
	}
	families := map[rule.Family]int{}
	disturbed := map[rule.Kind]int{} // rules with chance, by the kind of the rule without
	b0, manyStates, destructive := 0, 0, 0
	for _, c := range cases {
		if err := rulefiletest.Define(c.Rule); err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		r, err := rule.Parse(c.Rule)
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		families[r.Family]++
		if base, ok := r.Base(); ok {
			disturbed[base.Kind()]++
		}
		if r.BirthOnEmpty() {
			b0++
		}
		if r.States > 2 {
			manyStates++
		}
		if r.File != nil && strings.Contains(c.Rule, "/K") { // BSFKL
			destructive++
		}
	}
	for _, f := range []rule.Family{
		rule.OuterTotalistic, rule.Isotropic, rule.MAP, rule.LargerThanLife, rule.HROT,
		rule.Weighted, rule.RuleFile,
	} {
		if families[f] < 100 {
			t.Errorf("%d rules of family %d", families[f], f)
		}
	}
	for _, k := range []rule.Kind{
		rule.KindCounting, rule.KindTable, rule.KindFunction, rule.KindBlocks, rule.KindAlternating,
	} {
		if disturbed[k] < 8 {
			t.Errorf("%d times is chance added to %v", disturbed[k], k)
		}
	}
	if b0 < 50 || manyStates < 300 || destructive < 100 {
		t.Errorf("%d B0 rules, %d of many states and %d with destructive cells among %d", b0, manyStates, destructive,
			len(cases))
	}
}

// For all choices of rapid, the generator writes a rule, a topology and steps that the reference runs or refuses.
func TestRandomCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := simtest.RandomCase(func(label string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, label) })
		var unsupported *sim.Unsupported
		if err := simtest.Check(context.Background(), openReference, c); err != nil && !errors.As(err, &unsupported) {
			t.Fatal(err)
		}
	})
}
