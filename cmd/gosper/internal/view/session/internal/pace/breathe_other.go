//go:build !js

package pace

// Breathe does nothing where goroutines need not wait for others to be heard.
func Breathe() {}
