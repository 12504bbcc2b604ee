package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/gosper-life/gosper/internal/jit"
)

// The environment variables.
const (
	profileCPU    = "GOSPER_CPUPROFILE" // the file for the profile of the processor
	profileMemory = "GOSPER_MEMPROFILE" // the file for the profile of the heap at the end
	// if not empty, /tmp/perf-PID.map is written, where perf looks for the names of generated code
	perfMap = "GOSPER_PERFMAP"
)

// startProfile begins the profiles that the environment asks for. The caller calls stop at the end of the run, which
// writes the files.
func startProfile() (stop func() error, err error) {
	if os.Getenv(perfMap) != "" {
		if err := jit.WritePerfMap(); err != nil {
			return nil, fmt.Errorf("%s: %w", perfMap, err)
		}
	}
	cpu, err := create(profileCPU)
	if err != nil {
		return nil, err
	}
	memory, err := create(profileMemory)
	if err != nil {
		return nil, err
	}
	if memory == nil {
		runtime.MemProfileRate = 0 // its samples are for nobody
	}
	if cpu != nil {
		if err := pprof.StartCPUProfile(cpu); err != nil {
			return nil, fmt.Errorf("%s: %w", profileCPU, err)
		}
	}
	return func() (err error) {
		if cpu != nil {
			pprof.StopCPUProfile()
			err = cpu.Close()
		}
		if memory != nil {
			runtime.GC() // leave garbage out of the profile
			err = errors.Join(err, pprof.WriteHeapProfile(memory), memory.Close())
		}
		return err
	}, nil
}

// create makes the file that a variable names; it returns nil if the variable is not set.
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
