// Gosper runs cellular automata.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/gosper-life/gosper/cmd/gosper/internal/cli"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// main runs the command and writes the profiles that were asked for, also if the command has failed.
func main() {
	collectLater()
	stop, err := startProfile()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gosper:", console.OneLine(err.Error()))
		os.Exit(2)
	}
	code := cli.Main(os.Args[1:])
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, "gosper:", console.OneLine(err.Error()))
		code = max(code, 1)
	}
	os.Exit(code)
}

// collectLater lets the first garbage collection begin at a heap of 16 MiB instead of 4 MiB. Most runs end
// before, and need no collection. After the first one, collections begin as they usually do. The environment
// variable GOGC is obeyed.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	const first = 400 // percent of 4 MiB
	usual := debug.SetGCPercent(first)
	garbage := new([4]*byte)
	runtime.AddCleanup(garbage, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
