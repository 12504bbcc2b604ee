//go:build js

package web

// front is empty: in a browser's worker there is one viewer, who is attached.
type front struct{}

// Handler answers requests. There are none.
type Handler any
