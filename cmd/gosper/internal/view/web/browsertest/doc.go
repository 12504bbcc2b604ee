// Package browsertest tests the page of package web in a real browser. It is a module of its own, so that the program does not
// depend on what drives the browser:
//
//	cd view/web/browsertest && go test ./...
//
// It needs chromium, chrome or headless-shell on the PATH, and skips where there is none unless GOSPER_BROWSER=1. With
// GOSPER_SCREENSHOTS naming a folder it leaves pictures there to look at.
package browsertest
