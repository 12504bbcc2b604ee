// Package browsertest tests the page of package web in a real browser. It is a module of its own, so that the program does not depend on the packages
// that drive the browser:
//
//	cd view/web/browsertest && go test ./...
//
// It needs chromium, chrome or headless-shell on the PATH. Without one it skips, unless GOSPER_BROWSER=1. If GOSPER_SCREENSHOTS names a folder, it
// writes pictures there.
package browsertest
