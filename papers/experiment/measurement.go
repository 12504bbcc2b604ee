package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Measurement is one row of a paper's results, as they are written to files.
type Measurement struct {
	Paper        string `parquet:"paper" json:"paper"`           // "fujita", "boris", "cat", "playne"
	Method       string `parquet:"method" json:"method"`         // the paper's name of it, or MethodGosper
	Parameters   string `parquet:"parameters" json:"parameters"` // see Parameters
	Rule         string `parquet:"rule" json:"rule"`
	Width        int64  `parquet:"width" json:"width"`
	Height       int64  `parquet:"height" json:"height"`
	Generations  int64  `parquet:"generations" json:"generations"` // of a realisation
	Realisations int64  `parquet:"realisations" json:"realisations"`
	// mean over the realisations
	Seconds float64 `parquet:"seconds_per_generation" json:"seconds_per_generation"`
	// of that mean; null with one realisation
	StdErr *float64 `parquet:"seconds_stderr,optional" json:"seconds_stderr"`
	// width·height/seconds, times the universes that are simulated together
	CellsPerSec float64 `parquet:"cells_per_second" json:"cells_per_second"`
	// null if it was not measured
	Joules *float64 `parquet:"joules_per_generation,optional" json:"joules_per_generation"`
	// in the paper, on the paper's machine; null if the paper has none
	Printed *float64 `parquet:"printed_seconds_per_generation,optional" json:"printed_seconds_per_generation"`
	// "wall" or "device"
	Clock string `parquet:"clock" json:"clock"`
	// what it ran on
	Device string `parquet:"device" json:"device"`
	// the computer
	Machine string `parquet:"machine" json:"machine"`
	// RFC 3339
	Date string `parquet:"date" json:"date"`

	// of a generation, of each realisation
	Each []float64 `parquet:"realisation_seconds,list" json:"realisation_seconds,omitempty"`
	// number of generations after which the cells were equal to those of Gosper's own engine; 0: not compared
	Compared int64 `parquet:"compared_generations" json:"compared_generations,omitempty"`
	// of this program's source, with "+" if it was changed
	Revision string `parquet:"revision" json:"revision,omitempty"`
	Driver   string `parquet:"driver" json:"driver,omitempty"` // of the GPU
	// of the GPU's multiprocessors before the last realisation
	ClockMHz   int64   `parquet:"clock_mhz" json:"clock_mhz,omitempty"`
	PowerLimit float64 `parquet:"power_limit_watts" json:"power_limit_watts,omitempty"` // of the GPU
}

// Setting names what was measured and on which device. Two measurements of the same thing have the same Setting.
func (m Measurement) Setting() string {
	return fmt.Sprintf("%s|%s|%s|%d×%d|%s", m.Method, m.Parameters, m.Rule, m.Width, m.Height, m.Device)
}

// MethodGosper is the Method of Gosper's own engine in the measurements of all papers. ParameterEngine says
// which engine it is.
const (
	MethodGosper    = "gosper"
	ParameterEngine = "engine"
)

// CellsPerJoule is the number of cells that a joule updates; nil if the energy was not measured.
func (m Measurement) CellsPerJoule() *float64 {
	if m.Joules == nil {
		return nil
	}
	v := m.CellsPerSec * m.Seconds / *m.Joules
	return &v
}

// Parameters are the settings of a method. As text they are words of name and value in alphabetical order:
// "block=64 t=8".
type Parameters map[string]any

func (p Parameters) String() string {
	var words []string
	for name, value := range p {
		words = append(words, fmt.Sprintf("%s=%v", name, value))
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// Parameter is the value of a parameter; "" if there is no parameter of that name.
func (m Measurement) Parameter(name string) string {
	for _, word := range strings.Fields(m.Parameters) {
		if value, ok := strings.CutPrefix(word, name+"="); ok {
			return value
		}
	}
	return ""
}

// Number is the value of a parameter as a number; false if there is none.
func (m Measurement) Number(name string) (float64, bool) {
	v, err := strconv.ParseFloat(m.Parameter(name), 64)
	return v, err == nil
}
