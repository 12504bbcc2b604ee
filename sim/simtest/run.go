package simtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"sync"

	"github.com/gosper-life/gosper/sim"
)

// LongVariable is an environment variable. If it is not empty, Run and Truth leave nothing out.
const LongVariable = "GOSPER_LONG"

// TB is the part of *testing.T that the suite uses.
type TB interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// Options says how much of the suite to run.
type Options struct {
	Plans   []string // plans to force, each for all cases that it accepts; empty for the engine's own choice
	Full    bool     // every rule family on every topology at every size, instead of one size each
	Partial bool     // the engine may refuse rules and topologies (with *sim.Unsupported)
	Volumes bool     // in place of all that: universes of three dimensions, with known results
}

// maxFailures is the number of failures that are reported before a suite gives up.
const maxFailures = 10

// Run checks an engine against the reference: random cells under rules of every family on every topology at
// awkward sizes, and every promise of sim.Engine. A failure says how to repeat it on its own:
//
//	if err := simtest.Check(t.Context(), open, simtest.Case{…}); err != nil { t.Fatal(err) }
func Run(t TB, open Opener, opts Options) {
	t.Helper()
	plans := opts.Plans
	if len(plans) == 0 {
		plans = []string{""}
	}
	full := opts.Full || os.Getenv(LongVariable) != ""
	for _, plan := range plans {
		if opts.Volumes {
			checks, err := volumeChecks(!full, plan, false)
			if err != nil {
				t.Errorf("%v", err)
			}
			runChecks(t, open, checks, opts.Partial || plan != "")
			continue
		}
		runChecks(t, open, append(contractChecks(plan), checksOf(Cases(!full), plan)...), opts.Partial || plan != "")
	}
}

// RunTables checks an engine on random rule tables against the reference, which goes through a table's lines for every
// cell. There are 3 tables of each neighbourhood and symmetry, with a few states. If GOSPER_LONG is set, there are 30,
// with 2 to 32 states.
func RunTables(t TB, open Opener) {
	t.Helper()
	cases := randomTables(3, 2, 3, 5)
	if os.Getenv(LongVariable) != "" {
		cases = randomTables(30, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 23, 32)
	}
	runChecks(t, open, checksOf(cases, ""), true)
}

// Truth checks an engine against results of other programs (testdata/README.md): soups on every topology,
// Larger-than-Life rules and methuselahs. If cellByCell is set, it leaves out what takes such an engine long,
// unless GOSPER_LONG is set.
func Truth(t TB, open Opener, cellByCell bool) {
	t.Helper()
	checks, err := truthChecks(cellByCell && os.Getenv(LongVariable) == "", flatTruths)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	runChecks(t, open, checks, false)
}

// runChecks runs checks as a test. An engine that refuses everything fails.
func runChecks(t TB, open Opener, checks []check, mayRefuse bool) {
	t.Helper()
	r := report(t.Context(), open, checks, 1, func(failure string) {
		t.Helper()
		t.Errorf("%s", failure)
	}, nil)
	switch refused := r.Refused(); {
	case refused > 0 && !mayRefuse:
		t.Errorf("%d of %d checks refused, the first: %s", refused, r.Checks, r.Refusals[0].First)
	case refused == len(checks):
		t.Errorf("all %d checks refused, the first: %s", r.Checks, r.Refusals[0].First)
	case refused > 0:
		t.Logf("%d of %d checks refused, the first: %s", refused, r.Checks, r.Refusals[0].First)
	}
}

// Report is the outcome of Verify.
type Report struct {
	Checks   int       // all checks: passed, refused or failed
	Refusals []Refusal // reasons why the engine said that it cannot run some checks
	Failures []string  // one line each, with how to repeat it; after ten failures the other checks are skipped
}

// Refusal is a reason why an engine refuses rules or topologies. Reasons that differ only in numbers are one.
type Refusal struct {
	Why    string // as in sim.Unsupported, with the numbers of the first check
	Checks int    // number of checks refused for this reason
	First  string // the full text of the first refusal, with how to repeat it
}

// Refused is the number of checks that the engine refused.
func (r Report) Refused() (n int) {
	for _, refusal := range r.Refusals {
		n += refusal.Checks
	}
	return n
}

// Passed is the number of checks that the engine passed.
func (r Report) Passed() int { return r.Checks - r.Refused() - len(r.Failures) }

// OK reports whether the engine passed.
func (r Report) OK() bool { return len(r.Failures) == 0 && r.Passed() > 0 }

// mostAtOnce is the number of checks that Verify runs at once. Each has its own engines, and a GPU's driver
// compiles for several at the same time.
const mostAtOnce = 8

// Verify runs the suite on a registered engine, as go test would: the contract, the cases and the known
// results, several at once. quick leaves out most sizes and the known results that take long. progress, if not
// nil, gets the number of checks done and of all checks after each check, from one goroutine at a time. The
// error says what kept the suite from running, such as ctx.Err(). An engine that fails gives a Report that is
// not OK.
func Verify(ctx context.Context, engine string, quick bool, progress func(done, total int)) (Report, error) {
	open := func(cfg sim.Config) (sim.Engine, error) { return sim.Open(ctx, engine, cfg) }
	known, err := truthChecks(quick, flatTruths)
	if err != nil {
		return Report{}, err
	}
	volumes, err := volumeChecks(quick, "", quick)
	if err != nil {
		return Report{}, err
	}
	cases := Cases(true)
	if !quick {
		cases = oneRule()
	}
	checks := append(contractChecks(""), checksOf(cases, "")...)
	workers := min(runtime.GOMAXPROCS(0), mostAtOnce)
	return report(ctx, open, slices.Concat(checks, volumes, known), workers, nil, progress), ctx.Err()
}

// check is one check of an engine. Its error is a failure or a *sim.Unsupported.
type check func(ctx context.Context, open Opener) error

// report runs the checks, several at once, until ctx is done or maxFailures have failed. tell, if not nil, gets
// each failure at once.
func report(ctx context.Context, open Opener, checks []check, workers int, tell func(failure string),
	progress func(done, total int),
) Report {
	// One engine stays open meanwhile, so that a GPU stays ready for the others.
	if cfg, err := (Case{Rule: "B3/S23", Topology: "T64,64"}).config(); err == nil {
		if first, err := open(cfg); err == nil {
			defer first.Close()
		}
	}
	var (
		mu       sync.Mutex
		next     int
		made     int
		failures int
		outcomes = make([]error, len(checks))
	)
	work := func() {
		mu.Lock()
		defer mu.Unlock()
		for next < len(checks) && failures < maxFailures && ctx.Err() == nil {
			i := next
			next++
			mu.Unlock()
			err := checks[i](ctx, open)
			mu.Lock()
			if ctx.Err() != nil {
				return
			}
			made++
			outcomes[i] = err
			if err != nil && !isRefusal(err) {
				failures++
				if tell != nil {
					tell(err.Error())
				}
			}
			if progress != nil {
				progress(made, len(checks))
			}
		}
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(work)
	}
	wg.Wait()
	r := Report{Checks: made}
	for _, err := range outcomes { // in the order of the checks, for any order in which they ended
		r.note(err)
	}
	return r
}

var digits = regexp.MustCompile(`[0-9]+`)

// sameReason reports whether two reasons differ only in numbers.
func sameReason(a, b string) bool {
	return digits.ReplaceAllString(a, "") == digits.ReplaceAllString(b, "")
}

// note adds the result of a check.
func (r *Report) note(err error) {
	var unsupported *sim.Unsupported
	switch {
	case err == nil:
	case errors.As(err, &unsupported):
		i := slices.IndexFunc(r.Refusals, func(known Refusal) bool { return sameReason(known.Why, unsupported.Why) })
		if i < 0 {
			i = len(r.Refusals)
			r.Refusals = append(r.Refusals, Refusal{Why: unsupported.Why, First: err.Error()})
		}
		r.Refusals[i].Checks++
	default:
		r.Failures = append(r.Failures, err.Error())
	}
}

// isRefusal reports whether an engine said that it cannot run something.
func isRefusal(err error) bool {
	var unsupported *sim.Unsupported
	return errors.As(err, &unsupported)
}

func checksOf(cases []Case, plan string) []check {
	var checks []check
	for _, c := range cases {
		c.Plan = plan
		checks = append(checks, func(ctx context.Context, open Opener) error { return Check(ctx, open, c) })
	}
	return checks
}

// contractChecks are all parts of the contract on all of its cases.
func contractChecks(plan string) []check {
	var checks []check
	for _, contract := range contracts {
		for i, c := range contractCases {
			c.Plan, c.Seed = plan, uint64(i)
			checks = append(checks, func(ctx context.Context, open Opener) error {
				if err := checkContract(ctx, open, c, contract.check); err != nil {
					return fmt.Errorf("%s: %w", contract.name, err)
				}
				return nil
			})
		}
	}
	return checks
}

func truthChecks(quick bool, tables []truthTable) ([]check, error) {
	all, err := truths(tables)
	if err != nil {
		return nil, err
	}
	var checks []check
	for _, t := range all {
		if quick && t.slow {
			continue
		}
		checks = append(checks, func(ctx context.Context, open Opener) error {
			if err := t.check(ctx, open); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			return nil
		})
	}
	return checks, nil
}
