//go:build !linux && !darwin

package host

import "os"

// askSystem reads what Windows tells every process; other systems do not set it.
func (m *Machine) askSystem() { m.CPU = os.Getenv("PROCESSOR_IDENTIFIER") }
