package wavefront

// Arguments are the parameters of a kernel launch, which has a warp for each strip. Groups are the
// 32·words columns of a lane.
type Arguments struct {
	Source, Target uint64 // addresses of group 0 of row 0 of plane 0, of the cells to read and to write
	Plane          uint64 // bytes from a plane to the next
	Stride         int    // bytes from a row to the next
	Groups         int    // of a row that are to be computed
	// groups that exist to the left of group 0 and from group Groups on; of no matter where rows wrap
	Before, After int
	Wrap          bool     // the groups of a row are a ring
	First, End    int      // after row End-1 comes row First; rows do not wrap where End is never reached
	From, To      int      // rows to be computed: From to To-1
	StripRows     int      // rows of a strip, at most those to be computed
	Strips        int      // strips side by side, where they do not fold
	Width         int      // columns of the universe (plane only)
	Top, Tall     int      // row 0 is row Top of a universe of Tall rows (plane, and where random bits are drawn)
	Scratch       uint64   // address of memory for the rings of all blocks, where shared memory does not hold them
	Turns         []uint32 // by parity of Turning
	// Deep is the bytes from a row of a layer to the next, and LayerRows the rows of a layer (volumes only). The rows of
	// all other arguments are then layers, and Stride is the bytes from a layer to the next.
	Deep, LayerRows int
	// bytes from a volume to the next of a batch, less than 2^31; each has blocks of its own, in the grid's direction y
	Next int
	// for programs with random bits, by level: address of group 0 of row 0 of the first plane of them; or
	// RandomArguments
	Random []uint64
}

// Append adds the arguments to a list as the kernel's parameters.
func (a *Arguments) Append(list []uint64) []uint64 {
	wrap := 0
	if a.Wrap {
		wrap = 1
	}
	list = append(list, a.Source, a.Target, a.Plane)
	for _, n := range [...]int{
		a.Stride, a.Groups, a.Before, a.After, wrap, a.First, a.End, a.From, a.To, a.StripRows, a.Strips, a.Width, a.Top,
		a.Tall,
	} {
		list = append(list, uint64(uint32(int32(n))))
	}
	list = append(list, a.Scratch)
	if a.LayerRows > 0 {
		list = append(list, uint64(uint32(int32(a.Deep))), uint64(uint32(int32(a.LayerRows))), uint64(a.Next))
	}
	for _, bits := range a.Turns {
		list = append(list, uint64(bits))
	}
	return append(list, a.Random...)
}
