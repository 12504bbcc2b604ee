// Command site makes the pages of the documentation for a web server from the files of docs:
//
//	cd packaging && go run ./site --out ../dist/site
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
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "site: %q: only flags are read; --help lists them\n", flag.Arg(0))
		os.Exit(2)
	}
	n, err := build(*root, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("wrote %d pages into %s\n", n, *out)
}
