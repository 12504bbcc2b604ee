// Gosper runs cellular automata.
package main

import (
	"os"

	"github.com/gosper-life/gosper/cmd/gosper/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
