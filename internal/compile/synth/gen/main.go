// Command gen writes the generated files of package synth:
//
//	gen table FILE            hints for all outer-totalistic rules, by enumeration; takes about ten minutes
//	gen named FILE SECONDS    smaller networks of named rules, by exact synthesis; runs cadical for up to SECONDS on each question
//
// named keeps the known networks and asks only for smaller ones.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 2 && args[0] == "table":
		s := newTableSearch()
		s.systematic(os.Stderr)
		s.random(6*time.Minute, os.Stderr)
		return os.WriteFile(args[1], s.bytes(), 0o644)
	case len(args) == 3 && args[0] == "named":
		seconds, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		return searchNamed(ctx, args[1], seconds, os.Stderr)
	}
	return fmt.Errorf("usage: gen table FILE, or gen named FILE SECONDS")
}
