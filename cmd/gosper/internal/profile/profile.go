// Package profile measures a run of gosper from outside: profiles of the processor and of memory for go tool pprof, and the names of
// generated code for Linux's perf. Environment variables ask for them, so that they work with every command.
package profile

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/gosper-life/gosper/internal/jit"
)

// The variables.
const (
	CPU     = "GOSPER_CPUPROFILE" // the file that gets the profile of the processor
	Memory  = "GOSPER_MEMPROFILE" // the file that gets the profile of the heap, as it is at the end
	PerfMap = "GOSPER_PERFMAP"    // not empty: write /tmp/perf-PID.map, where perf looks for the names of generated code
)

// Start begins what the environment asks for. The caller calls stop at the end of the run; it writes the files.
func Start() (stop func() error, err error) {
	if os.Getenv(PerfMap) != "" {
		if err := jit.WritePerfMap(); err != nil {
			return nil, fmt.Errorf("%s: %w", PerfMap, err)
		}
	}
	cpu, err := create(CPU)
	if err != nil {
		return nil, err
	}
	memory, err := create(Memory)
	if err != nil {
		return nil, err
	}
	if cpu != nil {
		if err := pprof.StartCPUProfile(cpu); err != nil {
			return nil, fmt.Errorf("%s: %w", CPU, err)
		}
	}
	return func() (err error) {
		if cpu != nil {
			pprof.StopCPUProfile()
			err = cpu.Close()
		}
		if memory != nil {
			runtime.GC() // what is garbage by now is not of interest
			err = errors.Join(err, pprof.WriteHeapProfile(memory), memory.Close())
		}
		return err
	}, nil
}

// create makes the file that a variable names, nil where it names none.
func create(variable string) (*os.File, error) {
	path := os.Getenv(variable)
	if path == "" {
		return nil, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	return f, nil
}
