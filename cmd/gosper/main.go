// Gosper runs cellular automata.
package main

import (
	"fmt"
	"os"

	"github.com/gosper-life/gosper/cmd/gosper/internal/cli"
	"github.com/gosper-life/gosper/cmd/gosper/internal/profile"
)

func main() {
	stop, err := profile.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gosper:", err)
		os.Exit(2)
	}
	code := cli.Main(os.Args[1:])
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, "gosper:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}
