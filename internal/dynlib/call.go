//go:build !js

package dynlib

import "github.com/ebitengine/purego"

// Call calls a function of up to 15 integer or pointer arguments and returns its integer result. A pointer that
// is converted to uintptr in the argument list stays valid during the call.
//
//go:uintptrescapes
func Call(function uintptr, args ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(function, args...)
	return result
}
