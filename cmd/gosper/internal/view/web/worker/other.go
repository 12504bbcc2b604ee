//go:build !js

// Command worker runs a universe in a browser: a session and its one viewer, the page, without a server. The
// page starts it in a web worker and speaks with it as with a server's socket.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(
		os.Stderr, "this program runs in browsers: build it with GOOS=js GOARCH=wasm, or use gosper serve --static")
	os.Exit(2)
}
