package bands

import (
	"encoding/binary"
	"math"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/soup"
)

// populations counts the cells not in state 0, of each volume of a batch.
func (b *band) populations(dst []uint64) error {
	if err := b.dev.Clear(b.count, uint64(len(gpu.Bytes(dst)))); err != nil {
		return err
	}
	if err := b.runEach(cells.Population, b.count); err != nil {
		return err
	}
	return b.dev.Read(gpu.Bytes(dst), b.count)
}

// fill makes a soup, or one in each volume of a batch.
func (b *band) fill(soups ...soup.Soup) error {
	var starts []uint64
	for _, s := range soups {
		starts = append(starts, s.Seed(), s.Threshold())
	}
	if err := b.dev.Write(b.count, gpu.Bytes(starts)); err != nil {
		return err
	}
	copies := uint64(1)
	if b.repeats > 1 {
		copies = math.MaxUint32 / (1<<(b.W/b.repeats) - 1)
	}
	return b.runEach(cells.MakeSoup, b.count, uint64(b.top)*uint64(b.W), copies)
}

// runEach launches a kernel for all rows of the band, with blocks for each volume of a batch. The parameters that say
// where the cells are come first.
func (b *band) runEach(t cells.Tool, params ...uint64) error {
	blocks := min(b.height(), max(1, 32*b.dev.Multiprocessors/b.volumes))
	return b.run(t, blocks, b.volumes, append([]uint64{
		b.copies[b.current] + b.Origin(), b.PlaneBytes(), uint64(b.Stride), uint64(b.Groups * b.Words),
		uint64(b.W / b.repeats), uint64(b.height()),
	}, params...))
}

// extent is the bounding box of the cells that differ from a background of state 0 or 1.
func (b *band) extent(background uint8) (grid.Rect, error) {
	var buffer [16]byte
	for i, n := range cells.None {
		binary.LittleEndian.PutUint32(buffer[4*i:], uint32(int32(n)))
	}
	if err := b.dev.Write(b.count, buffer[:]); err != nil {
		return grid.Rect{}, err
	}
	blocks := min(b.H, 32*b.dev.Multiprocessors)
	err := b.run(cells.Extent, blocks, 1, []uint64{
		b.copies[b.current] + b.Origin(), b.PlaneBytes(), uint64(b.Stride), uint64(b.Groups * b.Words),
		uint64(b.W), uint64(b.H), uint64(-uint32(background)), b.count,
	})
	if err != nil {
		return grid.Rect{}, err
	}
	if err := b.dev.Read(buffer[:], b.count); err != nil {
		return grid.Rect{}, err
	}
	var box [4]int
	for i := range box {
		box[i] = int(int32(binary.LittleEndian.Uint32(buffer[4*i:])))
	}
	if box[3] < 0 {
		return grid.Rect{}, nil
	}
	return grid.Rect{X: box[0], Y: b.top + box[1], W: box[2] - box[0] + 1, H: box[3] - box[1] + 1}, nil
}

// invert inverts every cell.
func (b *band) invert() error {
	return b.run(cells.Invert, min(b.H, 32*b.dev.Multiprocessors), 1, []uint64{
		b.copies[b.current] + b.Origin(), uint64(b.Stride), uint64(b.Groups * b.Words), uint64(b.H),
	})
}

// partRows is the number of rows a thread counts at most.
const partRows = 64

// densities adds the counts of blocks of 2^scale × 2^scale cells that differ from the background: perRow of
// them side by side, the first at column left of row top. They may lie outside; left is a multiple of 2^scale,
// or of groups.
func (b *band) densities(counts []uint64, perRow, left, top, scale int, background uint8) error {
	seen := grid.Rect{
		X: left, Y: top, W: perRow << scale,
		H: len(counts) / perRow << scale,
	}.Intersect(grid.Rect{W: b.W, H: b.H})
	if seen.Empty() {
		return nil
	}
	// Only the pixels that show cells are counted, so that no number is larger than the universe.
	px, py := (seen.X-left)>>scale, (seen.Y-top)>>scale
	wide, tall := (seen.X+seen.W-left+1<<scale-1)>>scale-px, (seen.Y+seen.H-top+1<<scale-1)>>scale-py
	left, top = left+px<<scale, top+py<<scale
	bytes := uint64(8 * wide * tall)
	buffer, err := b.dev.Alloc(bytes)
	if err != nil {
		return err
	}
	defer b.dev.Free(buffer)
	if err := b.dev.Clear(buffer, bytes); err != nil {
		return err
	}
	group := 32 * b.Words
	counter, first, n, parts := cells.BlockCounts, 0, wide, 1
	if 1<<scale >= group {
		counter, first, parts = cells.GroupCounts, seen.X/group, max(1, 1<<scale/partRows)
		n = (seen.X+seen.W+group-1)/group - first
	}
	threads := n * tall * parts
	word := func(v int) uint64 { return uint64(uint32(int32(v))) }
	err = b.run(counter, (threads+ptx.Lanes-1)/ptx.Lanes, 1, []uint64{
		b.copies[b.current] + b.Origin(), b.PlaneBytes(), word(b.Stride), word(b.W), word(b.H), uint64(-uint32(background)),
		word(scale), word(left), word(top), word(wide), buffer, word(first), word(n), word(parts), word(threads),
	})
	if err != nil {
		return err
	}
	found := make([]uint64, wide*tall)
	if err := b.dev.Read(gpu.Bytes(found), buffer); err != nil {
		return err
	}
	for i, c := range found {
		counts[(py+i/wide)*perRow+px+i%wide] += c
	}
	return nil
}
