package cuda

import "github.com/gosper-life/gosper/topology"

// A universe of which two copies do not fit the memory is held in one buffer, in which the copies overlap: the second begins some
// rows above the first, a chunk and the rows that a pass looks at around it. A pass goes through the chunks one after the other,
// downwards from the first copy to the second and upwards back, so that what it stores lies where nobody looks any more:
//
//	       │ copy 1 ░░░░ stored │      │ read ▒▒▒ │
//	─ down ┼────────────────────┼──────┼──────────┼────────────▶
//	       row c·chunk  of copy 1      the same row of copy 0
//
// Rows beyond the top and bottom cannot be found at the other end, where they may have been stored over already: they are copied
// before each pass, as on surfaces that turn them.

// allocate takes the memory of both copies, dead.
func (u *universe) allocate() error {
	take := func(n uint64) (uint64, error) {
		at, err := u.dev.alloc(n)
		if err != nil {
			return 0, err
		}
		u.memory = append(u.memory, at)
		return at, u.dev.clear(at, n)
	}
	if u.shift > 0 {
		at, err := take(u.bytes())
		u.copies = [2]uint64{at + uint64(u.shift)*uint64(u.stride), at}
		return err
	}
	for i := range u.copies {
		var err error
		if u.copies[i], err = take(u.bytes()); err != nil {
			return err
		}
	}
	return nil
}

// launchChunks launches a pass over all chunks.
func (u *universe) launchChunks(depth int) error {
	chunk := u.plan.Chunk
	n := (u.h + chunk - 1) / chunk
	for i := range n {
		c := i
		if u.current == 1 {
			c = n - 1 - i
		}
		if err := u.launch(depth, c*chunk, min((c+1)*chunk, u.h)); err != nil {
			return err
		}
	}
	return nil
}

// clearAround makes the rows beyond the edges of a plane dead, where another copy has stored cells.
func (u *universe) clearAround(reach int) error {
	for p := range u.planes {
		plane := u.copies[u.current] + uint64(p)*u.planeBytes()
		for _, row := range []int{u.above - reach, u.above + u.h} {
			if err := u.dev.clear(plane+uint64(row)*uint64(u.stride), uint64(reach)*uint64(u.stride)); err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	spareBytes   = 1 << 30 // of the device's memory, for everything but the universe
	leastChunk   = 256     // rows; shorter ones would mostly warm up
	largestChunk = 32768   // rows
)

// chunk is the rows of a chunk for a plan on a device with so many bytes free: 0 where two copies fit, or not even one does.
func (p Plan) chunk(f *flow, t topology.Topology, free uint64) int {
	two := p.layout(f, t, t.H)
	if 2*two.bytes()+spareBytes <= free {
		return 0
	}
	p.Chunk = leastChunk
	one := p.layout(f, t, t.H)
	if one.bytes()+spareBytes > free {
		return 0
	}
	spare := (free - spareBytes - one.bytes()) / uint64(one.planes) / uint64(one.stride)
	return leastChunk + int(min(spare, largestChunk-leastChunk))
}
