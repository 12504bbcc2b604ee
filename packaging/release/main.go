package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	r := Release{Platforms: Platforms}
	flag.StringVar(&r.Source, "source", "..", "folder of the clone to build")
	flag.StringVar(&r.Out, "out", "../dist", "folder to write into; files that are already there are summed as well")
	flag.Func("platforms", "only these, as linux/amd64,windows/arm64", func(list string) error {
		r.Platforms = nil
		for name := range strings.SplitSeq(list, ",") {
			p, err := ParsePlatform(name)
			if err != nil {
				return err
			}
			r.Platforms = append(r.Platforms, p)
		}
		return nil
	})
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "release: %q: only flags are read; --help lists them\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := r.Make(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}
