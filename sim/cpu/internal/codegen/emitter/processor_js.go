package emitter

// newProcessor returns the only processor for which there is code in a browser, so that its programs have no
// assemblers of others.
func newProcessor(_ Instructions, e *emitter) processor { return &simd128{e: e} }

// XORPairs is for processors with AVX-512.
var XORPairs = func() bool { return false }
