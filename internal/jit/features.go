package jit

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// HasAVX2 reports whether processor and operating system have AVX2: 16 registers of 256 bits, VEX instructions.
func HasAVX2() bool { return cpu.X86.HasAVX2 }

// HasAVX512 reports whether processor and operating system have AVX-512 F, BW, DQ and VL (Skylake-X, Zen 4 and later):
// 32 registers of 512 bits and every EVEX instruction of package amd64 but that of [HasVBMI2].
func HasAVX512() bool {
	return cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
}

// HasVBMI2 reports whether VPSHRDQ may be used (Ice Lake, Zen 4 and later).
func HasVBMI2() bool { return HasAVX512() && cpu.X86.HasAVX512VBMI2 }

// HasNEON reports whether an arm64 processor has vectors of 128 bits (FEAT_AdvSIMD). All that run Linux have.
func HasNEON() bool { return cpu.ARM64.HasASIMD }

// HasSHA3 reports whether an arm64 processor has EOR3 and BCAX, which came with the hash SHA-3 (FEAT_SHA3:
// Apple M1, Neoverse V1 and later).
func HasSHA3() bool { return cpu.ARM64.HasSHA3 }

// HasSIMD128 reports whether WebAssembly has vectors of 128 bits. If it can run generated code, it has them:
// [Available] tries a module with vectors.
func HasSIMD128() bool { return runtime.GOOS == "js" }
