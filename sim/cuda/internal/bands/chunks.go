package bands

// If two copies of a universe do not fit the memory, they overlap in one buffer: the second begins some rows above
// the first, by a chunk and the rows that a pass looks at around it. A pass goes through the chunks one after the
// other, downwards from the first copy to the second and upwards back, so it stores rows where no row is needed any
// more:
//
//	       │ copy 1 ░░░░ stored │      │ read ▒▒▒ │
//	─ down ┼────────────────────┼──────┼──────────┼────────────▶
//	       row c·chunk  of copy 1      the same row of copy 0
//
// Rows beyond the top and bottom cannot be found at the other end, because they may have been overwritten
// there. They are copied before each pass, as on surfaces that turn them.

// allocate takes the memory of both copies, dead.
func (b *band) allocate() error {
	take := func(n uint64) (uint64, error) {
		at, err := b.dev.Alloc(n)
		if err != nil {
			return 0, err
		}
		b.memory = append(b.memory, at)
		return at, b.dev.Clear(at, n)
	}
	if b.Shift > 0 {
		at, err := take(b.Bytes())
		b.copies = [2]uint64{at + uint64(b.Shift)*uint64(b.Stride), at}
		return err
	}
	for i := range b.copies {
		var err error
		if b.copies[i], err = take(b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// launchChunks launches a pass over all chunks.
func (b *band) launchChunks(depth int) error {
	chunk := b.plan.Chunk
	height := b.H / b.deep
	n := (height + chunk - 1) / chunk
	for i := range n {
		c := i
		if b.current == 1 {
			c = n - 1 - i
		}
		if err := b.launch(depth, c*chunk, min((c+1)*chunk, height)); err != nil {
			return err
		}
	}
	return nil
}

// clearAround makes the rows beyond the edges of a plane dead, where another copy has stored cells. The passes of a
// volume take them for dead anyway.
func (b *band) clearAround(reach int) error {
	if b.t.Volume() {
		return nil
	}
	for p := range b.Planes {
		plane := b.copies[b.current] + uint64(p)*b.PlaneBytes()
		for _, row := range []int{b.Above - reach, b.Above + b.H} {
			if err := b.dev.Clear(plane+uint64(row)*uint64(b.Stride), uint64(reach)*uint64(b.Stride)); err != nil {
				return err
			}
		}
	}
	return nil
}
