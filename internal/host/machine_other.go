//go:build !linux && !darwin

package host

import "os"

// askSystem reads a variable that Windows sets for every process; other systems do not set it.
func (m *Machine) askSystem() { m.CPU = os.Getenv("PROCESSOR_IDENTIFIER") }
