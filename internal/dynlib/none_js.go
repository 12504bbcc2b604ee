package dynlib

import "errors"

// In browsers there are no shared libraries.

var errNone = errors.New("a browser has no shared libraries")

func open(string) (uintptr, error) { return 0, errNone }

func symbol(uintptr, string) (uintptr, error) { return 0, errNone }

// Call has no functions to call.
func Call(uintptr, ...uintptr) uintptr { return 0 }
