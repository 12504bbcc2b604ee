// Package browsertest tests the page of package web in a real browser. It is a module of its own, so that the
// program does not depend on the packages that drive the browser:
//
//	cd view/web/browsertest && go test ./...
//
// It needs chromium, chrome or headless-shell on the PATH. Without one it skips, unless GOSPER_BROWSER=1. If
// GOSPER_SCREENSHOTS names a folder, it writes pictures there. GOSPER_LATE=400 delays animation frames and messages
// by up to 400 ms. GOSPER_SLOWER=8 runs pages at an eighth of their speed. Tests must also pass under these
// conditions, because they wait for events (function settled) and not for a time.
package browsertest
