//go:build !amd64

package layout

import "testing"

// withEachVector runs a test.
func withEachVector(t *testing.T, f func(*testing.T)) { f(t) }
