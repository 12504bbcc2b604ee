// Package host describes the machine that this process runs on, as far as results depend on it. It also
// measures the process's processor time.
package host

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// Machine describes the machine on which results were measured.
type Machine struct {
	CPU        string   `json:"cpu"`        // as the system names it; empty if unknown
	Cores      int      `json:"cores"`      // logical cores that this process may use
	Extensions []string `json:"extensions"` // those extensions of the instruction set that matter here
	Caches     []Cache  `json:"caches"`     // data caches of the first core; empty if unknown
	Memory     uint64   `json:"memory"`     // bytes; 0 if unknown
	OS         string   `json:"os"`
	Arch       string   `json:"arch"`
	Go         string   `json:"go"`
}

// Cache is one level of cache.
type Cache struct {
	Level int    `json:"level"`
	Bytes uint64 `json:"bytes"`
}

// ThisMachine describes the machine that this process runs on.
func ThisMachine() Machine {
	m := Machine{
		Cores: runtime.NumCPU(), Extensions: []string{}, Caches: []Cache{},
		OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
	}
	m.askSystem()
	for _, e := range []struct {
		name string
		has  bool
	}{
		{"avx2", cpu.X86.HasAVX2},
		{"avx512f", cpu.X86.HasAVX512F},
		{"avx512bw", cpu.X86.HasAVX512BW},
		{"avx512dq", cpu.X86.HasAVX512DQ},
		{"avx512vl", cpu.X86.HasAVX512VL},
		{"avx512vbmi2", cpu.X86.HasAVX512VBMI2},
		{"avx512vpopcntdq", cpu.X86.HasAVX512VPOPCNTDQ},
		{"asimd", cpu.ARM64.HasASIMD},
		{"sha3", cpu.ARM64.HasSHA3},
		{"sve", cpu.ARM64.HasSVE},
	} {
		if e.has {
			m.Extensions = append(m.Extensions, e.name)
		}
	}
	return m
}

// CacheBytes is the size of a level of cache, 1 to 3. If it is unknown, it is a common size.
func (m Machine) CacheBytes(level int) uint64 {
	for _, c := range m.Caches {
		if c.Level == level {
			return c.Bytes
		}
	}
	return [...]uint64{1: 32 << 10, 2: 1 << 20, 3: 32 << 20}[level]
}
