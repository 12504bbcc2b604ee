// Command site makes the pages of the documentation for a web server from the files of docs:
//
//	cd packaging && go run ./site --out ../dist/site
//
// With --page and the folder of the page without a server (docs/serve.md), universes run in the pages of the
// documentation: a line <!-- live LINK --> of a page becomes an element that shows the universe of a link.
//
// Links between pages become links between the pages made. Links to other files of the repository lead to
// GitHub. A link to nothing is an error.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("source", "..", "folder of the repository")
	out := flag.String("out", "../dist/site", "folder to write into")
	live := flag.String("page", "", "folder of the page without a server; empty: no universe runs in the documentation")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "site: %q: only flags are read; --help lists them\n", flag.Arg(0))
		os.Exit(2)
	}
	n, err := build(*root, *out, *live)
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("wrote %d pages into %s\n", n, *out)
}
