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

type verdict struct {
	Engine string `json:"engine"`
	OK     bool   `json:"ok"`
	simtest.Report
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
			if found.Error != "" {
				fmt.Fprintf(c.err, "gosper: left out: %s\n", found.Error)
				continue
			}
		}
		begin := time.Now()
		report, err := cmd.verify(ctx, c, engine)
		if err != nil {
			return err
		}
		v := verdict{engine, report.OK(), report}
		if !cmd.JSON {
			v.print(c, time.Since(begin))
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

func (cmd *verifyCommand) verify(ctx context.Context, c *console, engine string) (simtest.Report, error) {
	line := &progress{out: c.err}
	defer line.erase()
	report, err := simtest.Verify(ctx, engine, cmd.Quick, func(done, total int) {
		if c.terminal && time.Since(line.painted) >= progressEvery {
			line.paint(fmt.Sprintf("%s: check %d of %d", engine, done, total))
		}
	})
	return report, inputUnlessCancelled(err)
}

func (v verdict) print(c *console, took time.Duration) {
	if v.OK {
		c.printf("%s: all %s checks passed in %s", v.Engine, grouped(uint64(v.Checks)), seconds(took))
	} else {
		c.printf("%s: FAILED", v.Engine)
	}
	if v.Refused > 0 {
		why, _, _ := strings.Cut(v.Refusal, "; to repeat: ")
		c.printf(" (%s of them refused: %s)", grouped(uint64(v.Refused)), why)
	}
	c.printf("\n")
	for _, failure := range v.Failures {
		c.printf("  %s\n", failure)
	}
}
