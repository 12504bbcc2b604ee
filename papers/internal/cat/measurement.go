package cat

// Name is the paper's name in measurements.
const Name = "cat"

// Parameters of a measurement.
const (
	ParameterHalo = "halo" // "refreshed": before each generation, as in the paper; "fixed": the step alone
	// "power": many generations one after the other, whose joules are measured; none: realisations
	ParameterRun    = "run"
	ParameterTile   = "tile"   // a×b fragments, "1x13", if shapes are compared
	ParameterKnown  = "known"  // "true": the kernel is compiled for that tile, if shapes are compared
	ParameterChange = "change" // one of Changes, if they are compared
	ParameterAt     = "at"     // seconds from the start, of a row that is a point of a curve of power
	ParameterWatts  = "watts"  // at that moment
	ParameterType   = "type"   // of the factors of bare products; see MethodProduct

	ParameterGenerations = "generations" // of a launch, if their number is compared
	ParameterLayers      = "layers"      // of a volume, whose height is that of all layers together
	ParameterRows        = "rows"        // of a warp's patch of a volume
)

// MethodProduct is the method of a measurement of products of the tensor cores alone: a generation is one product of
// 16×8 results.
const MethodProduct = "product"

// OneCore begins the Device of measurements without a GPU: the methods' arithmetic in plain Go, whose speed says
// nothing about the method.
const OneCore = "one core of "

// Sizes are the sides that the paper measures: 1024 + 2048·i for i = 0 … 29.
func Sizes() []int {
	var all []int
	for i := range 30 {
		all = append(all, 1024+2048*i)
	}
	return all
}
