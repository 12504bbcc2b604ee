package fujita

// The work of the printed times: 1024 generations of 16384² cells, on a GeForce GTX TITAN X and one core of a
// Xeon X7460.
const (
	printedGenerations = 1024
	printedSide        = 16384
	printedWork        = printedGenerations * printedSide * printedSide // cells
)

// tableI is the paper's Table I: seconds by place and words.
var tableI = map[Place]map[Arrangement]float64{
	CPU:    {WordPerCell: 2151, SingleWord: 84.8, DoubleWord: 58.3},
	Global: {WordPerCell: 119.3, SingleWord: 0.574, DoubleWord: 0.672},
}

// tableISpeedUps is the last row of Table I. The first number agrees with 19.3 seconds, not with 119.3. The text also
// agrees with 19.3: it says that words of bits are "more than 20 times faster" than words of cells. This shows that
// 119.3 is a misprint.
var tableISpeedUps = map[Arrangement]float64{WordPerCell: 111, SingleWord: 147, DoubleWord: 86.8}

// tableII is the paper's Table II: seconds at t = 2, 4, 8 and 16 by place, block and words.
var tableII = map[Method][]float64{
	{Place: Shared, Block: 32, Words: SingleWord}:   {0.607, 0.482, 0.850},
	{Place: Shared, Block: 64, Words: SingleWord}:   {0.439, 0.301, 0.356, 0.762},
	{Place: Shared, Block: 64, Words: DoubleWord}:   {0.385, 0.237, 0.248, 0.511},
	{Place: Register, Block: 32, Words: SingleWord}: {0.543, 0.386, 0.545},
	{Place: Register, Block: 64, Words: SingleWord}: {0.390, 0.216, 0.197, 0.377},
	{Place: Register, Block: 64, Words: DoubleWord}: {0.379, 0.194, 0.163, 0.295},
}

// tableIISteps are the t of Table II.
var tableIISteps = []int{2, 4, 8, 16}

// Printed returns the paper's time for a generation of 16384² cells, in seconds, or false if it gives none. The
// paper does not say which order of words it measured. It recommends columns, so we assume these.
func (m Method) Printed() (seconds float64, ok bool) {
	if !m.Columns || m.NotShifted || m.WideBlocks || m.Bits {
		return 0, false
	}
	if m.Block == 0 {
		seconds, ok = tableI[m.Place][m.Words]
		return seconds / printedGenerations, ok
	}
	for i, t := range tableIISteps {
		times := tableII[Method{Place: m.Place, Block: m.Block, Words: m.Words}]
		if t == m.T && i < len(times) {
			return times[i] / printedGenerations, true
		}
	}
	return 0, false
}
