//go:build !(amd64 && (unix || windows)) && !(arm64 && linux) && !js

package jit

import (
	"fmt"
	"runtime"
	"unsafe"
)

func mapWritable(int) ([]byte, error) {
	return nil, fmt.Errorf("it runs on amd64 under Unix systems and Windows and on arm64 under Linux, not on %s/%s",
		runtime.GOOS, runtime.GOARCH)
}

// No memory is ever mapped here, so the rest is out of reach.

func makeExecutable([]byte) error { return nil }

func unmap([]byte) error { return nil }

func call(_, _ unsafe.Pointer) {}

func publish([]byte) {}

var ret = []byte{0}
