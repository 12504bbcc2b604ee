package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/simtest"
)

// VerifyCommand is gosper verify.
type VerifyCommand struct {
	Engine string `placeholder:"E" env:"GOSPER_ENGINE" help:"Engine to check. Default: every one that can run here."`
	Quick  bool   `help:"Leave out the checks that take long."`
	JSON   bool   `name:"json" help:"Print one JSON array."`
}

// Help is shown below the usage.
func (*VerifyCommand) Help() string {
	return `Example:

    gosper verify --engine cpu --quick
    gosper verify --engine cuda:0,1 --quick     # on two GPUs

The engine must agree bit for bit with the reference, for rules of every family, on every topology, at awkward sizes. The reference itself is checked against results of other programs.`
}

// Verdict is the result of the checks of one engine.
type Verdict struct {
	Engine   string    `json:"engine"`
	OK       bool      `json:"ok"`
	Checks   int       `json:"checks"` // all checks: passed, refused or failed
	Passed   int       `json:"passed"`
	Refused  int       `json:"refused"`  // the engine reported that it cannot run the rule or topology
	Refusals []refusal `json:"refusals"` // why
	Failed   int       `json:"failed"`
	// one line each, with the command to repeat it; after ten failures the remaining checks are skipped
	Failures []string `json:"failures"`
	Seconds  float64  `json:"seconds"`
}

// refusal is a reason why checks were refused.
type refusal struct {
	Why    string `json:"why"`
	Checks int    `json:"checks"`
	First  string `json:"example"` // with the command to repeat it
}

func verdictOn(engine string, r simtest.Report, took time.Duration) Verdict {
	v := Verdict{
		Engine: engine, OK: r.OK(), Checks: r.Checks, Passed: r.Passed(), Refused: r.Refused(), Refusals: []refusal{},
		Failed: len(r.Failures), Failures: append([]string{}, r.Failures...), Seconds: took.Seconds(),
	}
	for _, why := range r.Refusals {
		v.Refusals = append(v.Refusals, refusal(why))
	}
	return v
}

// Run implements the command.
func (cmd *VerifyCommand) Run(ctx context.Context, c *console.Console) error {
	engines := sim.Names()
	if cmd.Engine != "" && cmd.Engine != sim.Auto {
		if name, _, _ := strings.Cut(cmd.Engine, ":"); !slices.Contains(engines, name) {
			return console.Badf("unknown engine %q, want one of %s", cmd.Engine, strings.Join(engines, ", "))
		}
		engines = []string{cmd.Engine}
	}
	verdicts := []Verdict{}
	for _, engine := range engines {
		if cmd.Engine != engine { // an engine asked for by name must be able to run
			found, err := inspect(ctx, engine)
			if err != nil {
				return err
			}
			if found.Error != nil {
				fmt.Fprintf(c.Err, "gosper: skipped: %s\n", *found.Error)
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
		if err := c.PrintJSON(verdicts); err != nil {
			return err
		}
	}
	for _, v := range verdicts {
		if !v.OK {
			return console.Failure
		}
	}
	return nil
}

// plainEvery is the time between two lines of progress if the output is not a terminal.
const plainEvery = 10 * time.Second

// verify runs the suite and shows how far it is: in a line that is overwritten, or in a line every now
// and then if the output is no terminal.
func (cmd *VerifyCommand) verify(ctx context.Context, c *console.Console, engine string) (simtest.Report, error) {
	line := c.Line(false)
	defer line.Erase()
	begin := time.Now()
	told := begin
	report, err := simtest.Verify(ctx, engine, cmd.Quick, func(done, total int) {
		text := func() string {
			return fmt.Sprintf("%s: check %s of %s%s", engine, number.Grouped(uint64(done)), number.Grouped(uint64(total)),
				console.Left(time.Since(begin), float64(done), float64(total)))
		}
		line.Show(text)
		if now := time.Now(); line == nil && now.Sub(told) >= plainEvery {
			fmt.Fprintf(c.Err, "gosper: %s\n", text())
			told = now
		}
	})
	return report, console.Bad(err)
}

// print writes the verdict. A suite without a single check counts as failed.
func (v Verdict) print(c *console.Console) {
	c.Printf("%s: %s passed", v.Engine, number.Count(uint64(v.Passed), "check"))
	if v.Refused > 0 {
		c.Printf(", %s refused", number.Grouped(uint64(v.Refused)))
	}
	if v.Failed > 0 {
		c.Printf(", %s FAILED", number.Grouped(uint64(v.Failed)))
	}
	c.Printf(" in %s\n", number.Seconds(time.Duration(v.Seconds*float64(time.Second))))
	for _, r := range v.Refusals {
		c.Printf("  refused %s: %s\n", number.Grouped(uint64(r.Checks)), r.Why)
	}
	for _, failure := range v.Failures {
		c.Printf("  %s\n", failure)
	}
	if v.Passed == 0 && v.Failed == 0 {
		c.Printf("  nothing was checked: FAILED\n")
	}
}
