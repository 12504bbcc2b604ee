//go:build !js

package emitter

import "github.com/gosper-life/gosper/internal/jit"

// newProcessor returns the processor of a code, for an emitter.
func newProcessor(c Instructions, e *emitter) processor {
	switch c {
	case NEON:
		return &neon{e: e, sha3: jit.HasSHA3()}
	case SIMD128:
		return &simd128{e: e}
	}
	return &avx{e: e, wide: c == AVX512, pairs: c == AVX512 && XORPairs()}
}
