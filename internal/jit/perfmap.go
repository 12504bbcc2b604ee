//go:build !js

package jit

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"unsafe"
)

// perfMap is the place where Linux's perf looks for the names of code that was made at run time: a line "START
// SIZE NAME" for each piece, in hexadecimal (the kernel's tools/perf/Documentation/jit-interface.txt). Pieces
// are numbered in the order in which they were mapped.
var perfMap struct {
	mu   sync.Mutex
	file *os.File
	n    int
}

// WritePerfMap names all code that is mapped from now on in perf-PID.map in the folder for temporary files. perf
// finds the file if that folder is /tmp. It returns the errors of creating the file.
func WritePerfMap() error {
	f, err := os.Create(filepath.Join(os.TempDir(), fmt.Sprintf("perf-%d.map", os.Getpid())))
	if err != nil {
		return err
	}
	perfMap.mu.Lock()
	defer perfMap.mu.Unlock()
	perfMap.file = f
	return nil
}

// nameForPerf adds a piece of code to the file, if there is one. A line that cannot be written costs perf a
// name and the run nothing.
func nameForPerf(text []byte) {
	perfMap.mu.Lock()
	defer perfMap.mu.Unlock()
	if perfMap.file == nil {
		return
	}
	perfMap.n++
	fmt.Fprintf(perfMap.file, "%x %x gosper_jit_%d\n", uintptr(unsafe.Pointer(&text[0])), len(text), perfMap.n)
}
