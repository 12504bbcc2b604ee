package codegen

// newProcessor returns the only processor for which there is code in a browser, so that its programs have no assemblers of others.
func newProcessor(_ Code, e *emitter) processor { return &simd128{e: e} }
