package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/simtest"
)

type verifyCommand struct {
	Engine string `placeholder:"E" env:"GOSPER_ENGINE" help:"Engine to check. Default: every one that can run here."`
	Quick  bool   `help:"Leave out what takes long."`
	JSON   bool   `name:"json" help:"Print one JSON array."`
}

// Help is shown below the usage.
func (*verifyCommand) Help() string {
	return `Example:

    gosper verify --engine cpu --quick

Rules of every family on every topology at awkward sizes must agree bit for bit with the reference, and it with results of other programs.`
}

// verdict is what was found out about an engine.
type verdict struct {
	Engine   string    `json:"engine"`
	OK       bool      `json:"ok"`
	Checks   int       `json:"checks"` // made: passed, refused or failed
	Passed   int       `json:"passed"`
	Refused  int       `json:"refused"`  // the engine said that it cannot run the rule or topology
	Refusals []refusal `json:"refusals"` // why
	Failed   int       `json:"failed"`
	Failures []string  `json:"failures"` // one line each, with how to repeat it; after ten the rest is not tried
	Seconds  float64   `json:"seconds"`
}

// refusal is a reason for which checks were refused.
type refusal struct {
	Why    string `json:"why"`
	Checks int    `json:"checks"`
	First  string `json:"example"` // with how to repeat it
}

func verdictOn(engine string, r simtest.Report, took time.Duration) verdict {
	v := verdict{
		Engine: engine, OK: r.OK(), Checks: r.Checks, Passed: r.Passed(), Refused: r.Refused(), Refusals: []refusal{},
		Failed: len(r.Failures), Failures: append([]string{}, r.Failures...), Seconds: took.Seconds(),
	}
	for _, why := range r.Refusals {
		v.Refusals = append(v.Refusals, refusal(why))
	}
	return v
}

// Run implements the command.
func (cmd *verifyCommand) Run(ctx context.Context, c *console) error {
	engines := sim.Names()
	if cmd.Engine != "" && cmd.Engine != sim.Auto {
		if !slices.Contains(engines, cmd.Engine) {
			return badInputf("unknown engine %q, want one of %s", cmd.Engine, strings.Join(engines, ", "))
		}
		engines = []string{cmd.Engine}
	}
	verdicts := []verdict{}
	for _, engine := range engines {
		if cmd.Engine != engine { // one asked for by name must be there
			found, err := inspect(ctx, engine)
			if err != nil {
				return err
			}
			if found.Error != nil {
				fmt.Fprintf(c.err, "gosper: left out: %s\n", *found.Error)
				continue
			}
		}
		begin := time.Now()
		report, err := cmd.verify(ctx, c, engine)
		if err != nil {
			return err
		}
		v := verdictOn(engine, report, time.Since(begin))
		if !cmd.JSON {
			v.print(c)
		}
		verdicts = append(verdicts, v)
	}
	if cmd.JSON {
		if err := c.printJSON(verdicts); err != nil {
			return err
		}
	}
	for _, v := range verdicts {
		if !v.OK {
			return status(exitFailure)
		}
	}
	return nil
}

// plainEvery is the time between two lines about progress where no terminal shows one that changes.
const plainEvery = 10 * time.Second

func (cmd *verifyCommand) verify(ctx context.Context, c *console, engine string) (simtest.Report, error) {
	line := &progress{out: c.err}
	defer line.erase()
	begin := time.Now()
	told := begin
	report, err := simtest.Verify(ctx, engine, cmd.Quick, func(done, total int) {
		now := time.Now()
		left := time.Duration(float64(now.Sub(begin)) / float64(done) * float64(total-done)).Round(time.Second)
		text := fmt.Sprintf("%s: check %s of %s  %v left", engine, grouped(uint64(done)), grouped(uint64(total)), left)
		switch {
		case c.terminal && now.Sub(line.painted) >= progressEvery:
			line.paint(text)
		case !c.terminal && now.Sub(told) >= plainEvery:
			fmt.Fprintf(c.err, "gosper: %s\n", text)
			told = now
		}
	})
	return report, inputUnlessCancelled(err)
}

func (v verdict) print(c *console) {
	c.printf("%s: %s passed", v.Engine, count(uint64(v.Passed), "check"))
	if v.Refused > 0 {
		c.printf(", %s refused", grouped(uint64(v.Refused)))
	}
	if v.Failed > 0 {
		c.printf(", %s FAILED", grouped(uint64(v.Failed)))
	}
	c.printf(" in %s\n", seconds(time.Duration(v.Seconds*float64(time.Second))))
	for _, r := range v.Refusals {
		c.printf("  refused %s: %s\n", grouped(uint64(r.Checks)), r.Why)
	}
	for _, failure := range v.Failures {
		c.printf("  %s\n", failure)
	}
	if v.Passed == 0 && v.Failed == 0 {
		c.printf("  nothing was checked: FAILED\n")
	}
}
