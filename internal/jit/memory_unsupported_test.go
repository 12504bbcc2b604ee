//go:build !(amd64 && (unix || windows)) && !(arm64 && linux) && !js

package jit

import (
	"runtime"
	"strings"
	"testing"
)

func TestUnavailable(t *testing.T) {
	if err := Available(); err == nil || !strings.Contains(err.Error(), runtime.GOARCH) {
		t.Errorf("error %v, want one that names %s", err, runtime.GOARCH)
	}
}
