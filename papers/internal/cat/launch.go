package cat

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/gosper-life/gosper/internal/gpu"
)

// layout describes a universe with its margin in memory.
type layout struct {
	name   string   // in the names of its kernels
	bytes  int      // in all
	origin int      // offset of the address that kernels get, in bytes
	shape  []uint64 // further arguments of kernels that load, store and fill halos
	frame  int      // threads that fill the halo
}

// margin is the width, in columns, of the margin left and right of a universe in rows.
const margin = 64

// inRows has one byte for each cell, row after row. Kernels get the address of cell (0, 0). Patches of 128×64 may
// extend beyond the lower right.
func inRows(w, h, radius int) (l layout, pitch int) {
	pitch = roundUp(w, 128) + 2*margin
	return layout{
		name: "rows", bytes: (roundUp(h, 64) + 2*radius) * pitch, origin: radius*pitch + margin,
		shape: []uint64{uint64(pitch)},
		frame: frameCells(w, h, radius),
	}, pitch
}

// inFragments has fragment after fragment of side×side cells, with a margin of as many fragments as the radius needs.
func inFragments(name string, w, h, side, cellBytes, radius int) (l layout, across int) {
	reach := ceilDiv(radius, side)
	across, down := ceilDiv(w, side)+2*reach, ceilDiv(h, side)+2*reach
	return layout{
		name: name, bytes: across * down * side * side * cellBytes, shape: []uint64{uint64(across), uint64(reach)},
		frame: frameCells(w, h, radius),
	}, across
}

// frameCells returns the number of cells in a frame of radius cells around a universe.
func frameCells(w, h, radius int) int { return 2 * radius * (w + 2*radius + h) }

// inBits has one bit for each cell, row after row of 32-bit words, with a word of margin left and right. Blocks
// of 8 words × 32 rows may extend beyond the lower right.
func inBits(w, h, radius int) (l layout, pitch int) {
	pitch = roundUp(ceilDiv(w, 32)+1, 8) + 2
	return layout{
		name: "bits", bytes: (roundUp(h, 32) + 2*radius) * pitch * 4, origin: (radius*pitch + 1) * 4,
		shape: []uint64{uint64(pitch)},
		frame: 2*radius*(w/32+3) + 3*h,
	}, pitch
}

// inLayers has one bit for each cell, in tiles of 32 columns and 8 rows: see volume.cu. h is the rows of all layers
// together. Patches may extend beyond the last row of a layer. Behind the layers there is one without cells.
func inLayers(w, h, layers, patchRows, radius int) (l layout, across, down int) {
	const above, tileRows, tileBytes = 2, 8, 32
	rows := h / layers
	across, down = w/32+3, roundUp(rows, patchRows)/tileRows+2*above
	return layout{
		name: "volume", bytes: (layers + 1) * down * across * tileBytes,
		shape: []uint64{uint64(across), uint64(down), uint64(rows), uint64(layers)},
		frame: layers * (2*radius*across + 3*rows),
	}, across, down
}

// launch is a kernel with all arguments except the addresses of the cells now and next.
type launch struct {
	layout          layout
	ptx             string
	kernel          string
	threads, shared int
	gridX, gridY    int
	args            []uint64
	table           []uint8 // whose address on the device follows args; see Pack
	generations     int     // the most of a launch, whose number follows args; 0: a launch is one, without an argument
}

// launch prepares a method for a universe on a GPU.
func (m Method) launch(t transition, w, h int, o Options, on gpu.Properties) (launch, error) {
	if o.Change != "" && !slices.Contains(Changes[m], o.Change) {
		return launch{}, fmt.Errorf("change %q; %s has %q", o.Change, m, Changes[m])
	}
	switch m {
	case CAT:
		return wmmaLaunch(t, w, h, o, on)
	case MMA, Cached:
		return tensorLaunch(m, t, w, h, o, on)
	case Registers, Int8:
		return registerLaunch(m, t, w, h, o, on.Multiprocessors), nil
	case Temporal:
		return temporalLaunch(t, w, h, o)
	case Rows, Bits:
		return rowsLaunch(m, t, w, h), nil
	case Volume:
		return volumeLaunch(t, w, h, o, on.Multiprocessors)
	}
	l, pitch := inRows(w, h, t.radius)
	p := launch{layout: l, ptx: methodsPTX}
	shape := []uint64{uint64(pitch), uint64(w), uint64(h)}
	blocks := func(name string, threads, columns, rows int) {
		p.kernel, p.threads = fmt.Sprintf("%s_%d", name, t.radius), threads
		p.gridX, p.gridY = ceilDiv(w, columns), ceilDiv(h, rows)
	}
	switch m {
	case Base:
		name := "base"
		if o.Change != "" {
			if name = baseKernels[o.Change]; t.radius != 1 && t.radius != 16 {
				return launch{}, fmt.Errorf("change %q at radius %d; it is for 1 and 16 alone", o.Change, t.radius)
			}
		}
		blocks(name, 1024, 32, 32)
	case Base8:
		blocks("base8", 256, 32, 8)
	case Shared:
		blocks("shared", 1024, 32, 32)
	case Coarse:
		blocks("coarse", 512, 64, 64)
	case MCell:
		blocks("mcell", 1024, 64, 32)
	case MCellPairs:
		blocks("mcellpairs", 1024, 64, 32)
	case Pack:
		p.ptx, p.args, p.table = packPTX, shape, t.table()
		blocks("pack", 256, 16*8, 16)
		return p, nil
	case Prefix:
		// A warp's words without those that only the sums of others need; see prefix.cu.
		inner := 32 - (t.radius+8)/8 - (t.radius+7)/8
		columns := prefixWarps * inner * 8
		rows := o.Rows
		if rows == 0 {
			rows = stripRows(ceilDiv(w, columns)*prefixWarps, h, 2*t.radius, 64*on.Multiprocessors, max(16*t.radius, 16))
		}
		p.ptx = prefixPTX
		blocks("prefix", 32*prefixWarps, columns, rows)
		shape = append(shape, uint64(rows))
	}
	p.args = append(shape, t.arguments()...)
	return p, nil
}

// baseKernels names the kernels of BASE's changes, without the radius.
var baseKernels = map[string]string{
	"indices": "baseindexed", "unrolled": "baseunrolled", "all": "baseall", "restrict": "baserestrict",
}

// prefixWarps is the number of warps of a block of prefix.cu.
const prefixWarps = 4

// table returns the next states by the sum of the neighbourhood, first of a dead cell, then of a live one.
func (t transition) table() []uint8 {
	var all []uint8
	for cell := range uint8(2) {
		for sum := range t.maxSum() + 1 {
			all = append(all, t.next(cell, sum))
		}
	}
	return all
}

// stripRows returns the height of strips for warps that go down `columns` columns of a universe of h rows. A
// strip reads `extra` rows besides its own. The height is small enough that each of the GPU's warps has four
// strips, and large enough that the rows that are read twice cost little. It is at most most, because
// neighbouring taller strips drift so far apart that they no longer share cached rows.
func stripRows(columns, h, extra, warps, most int) int {
	even := columns * h / (4 * warps)
	return min(max(even, 2*extra, 8), most, max(h, 1))
}

// wmmaLaunch returns the launch of wmma.cu.
func wmmaLaunch(t transition, w, h int, o Options, on gpu.Properties) (launch, error) {
	const side, cellBytes, warps = 16, 2, 8
	a, b := o.Tile[0], o.Tile[1]
	switch {
	case o.Tile != [2]int{}:
	case on.Major == 9:
		a, b = 1, 14
	default:
		a, b = 1, 13
	}
	if a < 1 || b < 1 {
		return launch{}, fmt.Errorf("a tile of %d×%d fragments; each side is at least 1", a, b)
	}
	if o.Warps != 0 && o.Warps != warps {
		return launch{}, fmt.Errorf("%d warps a block; %s has %d", o.Warps, CAT, warps)
	}
	line, ptx, kernel := side, knownPTX, fmt.Sprintf("known_%dx%d", a, b)
	switch known := slices.Contains(KnownTiles, [2]int{a, b}); o.Change {
	case "":
		if known {
			break
		}
		fallthrough
	case Argument:
		ptx, kernel = wmmaPTX, "wmma"
	case "padded", "all":
		line = paddedSide
		fallthrough
	default:
		if a, b = 1, 14; o.Tile != [2]int{} && o.Tile != [2]int{a, b} {
			return launch{}, fmt.Errorf("change %q with a tile of %d×%d; it is for 1×14 alone", o.Change, o.Tile[0], o.Tile[1])
		}
		kernel = "known_1x14_" + o.Change
	}
	nx, ny := ceilDiv(w, side), ceilDiv(h, side)
	p := launch{
		ptx: ptx, kernel: kernel, threads: 32 * warps, shared: (3 + a*(b+2)) * side * line * cellBytes,
		gridX: ceilDiv(nx, a), gridY: ceilDiv(ny, b),
	}
	var across int
	p.layout, across = inFragments("halves", w, h, side, cellBytes, t.radius)
	shape := []int{across, nx, ny, t.radius, t.crossing()}
	if kernel == "wmma" {
		shape = []int{across, nx, ny, a, b, t.radius, t.crossing()}
	}
	for _, v := range shape {
		p.args = append(p.args, uint64(v))
	}
	p.args = append(p.args, t.arguments()...)
	return p, nil
}

// paddedSide is the distance of a fragment's rows in shared memory that avoids bank conflicts.
const paddedSide = 24

// tensorLaunch returns the launch of tensor.cu.
func tensorLaunch(m Method, t transition, w, h int, o Options, on gpu.Properties) (launch, error) {
	const side, padded, cellBytes = 16, 16 * paddedSide, 2
	a, b := o.Tile[0], o.Tile[1]
	switch {
	case o.Tile != [2]int{}:
	case m == Cached && on.SharedBlockBytes < 128<<10:
		a, b = 2, 4
	case m == Cached:
		a, b = 4, 8
	default:
		a, b = 1, 13
	}
	if a < 1 || b < 1 {
		return launch{}, fmt.Errorf("a tile of %d×%d fragments; each side is at least 1", a, b)
	}
	reach := t.reach(side)
	p := launch{ptx: tensorPTX, kernel: "cat"}
	fragments := 2*reach + 1 + a*(b+2*reach) // bands and H
	switch {
	case m == Cached:
		p.kernel = "cat_cached"
		fragments += a*b + (a+2*reach)*(b+2*reach) // S and X
	case t.maxSum() > 2048: // more than FP16 holds
		p.kernel = "cat_wide"
	}
	p.shared = fragments * padded * cellBytes
	warps := o.Warps
	if warps == 0 {
		warps = evenWarps(a*(b+2*reach), a*b, on.SharedBytes/(p.shared+reservedShared))
	}
	if warps < 1 || warps > 32 {
		return launch{}, fmt.Errorf("%d warps a block; 1 to 32 are allowed", warps)
	}
	var across int
	p.layout, across = inFragments("halves", w, h, side, cellBytes, t.radius)
	nx, ny := ceilDiv(w, side), ceilDiv(h, side)
	p.threads = 32 * warps
	p.gridX, p.gridY = ceilDiv(nx, a), ceilDiv(ny, b)
	for _, v := range []int{across, nx, ny, a, b, reach, t.radius, t.crossing()} {
		p.args = append(p.args, uint64(v))
	}
	p.args = append(p.args, t.arguments()...)
	return p, nil
}

// TileBytes returns the shared memory that CAT needs for a tile of a×b fragments.
func TileBytes(a, b int) int {
	p, err := wmmaLaunch(transition{radius: 1}, 1, 1, Options{Tile: [2]int{a, b}}, gpu.Properties{})
	if err != nil {
		return math.MaxInt
	}
	return p.shared
}

// reservedShared is the part of each block's shared memory that the system takes.
const reservedShared = 1 << 10

// evenWarps returns the number of warps of a block, if a multiprocessor holds the given number of blocks. It
// takes the number that wastes the fewest turns on h fragments of H and then s fragments of S, between three
// quarters of the warps that give a multiprocessor 48, and all of them.
func evenWarps(h, s, blocks int) int {
	most := min(max(48/max(blocks, 1), 2), 24)
	best, least := 0, math.Inf(1)
	for n := most; 4*n >= 3*most; n-- {
		if waste := float64(n*(ceilDiv(h, n)+ceilDiv(s, n))) / float64(h+s); waste < least {
			best, least = n, waste
		}
	}
	return best
}

// registerLaunch returns the launch of register.cu.
func registerLaunch(m Method, t transition, w, h int, o Options, processors int) launch {
	const warps = 4
	side, cellBytes, name, kernel, strips := 16, 2, "halves", "registers", 2
	if m == Int8 {
		side, cellBytes, name, kernel, strips = 32, 1, "bytes", "bytes", 1
	}
	reach := t.reach(side)
	if reach > 2 {
		strips = 1
	}
	p := launch{ptx: registerPTX, kernel: fmt.Sprintf("%s_%d", kernel, reach), threads: 32 * warps}
	var across int
	p.layout, across = inFragments(name, w, h, side, cellBytes, t.radius)
	nx, ny := ceilDiv(w, side), ceilDiv(h, side)
	columns := ceilDiv(nx, strips)
	rows := o.Rows
	if rows == 0 {
		rows = stripRows(columns, ny, 2*reach, 16*processors, 48*reach)
	}
	p.gridX, p.gridY = ceilDiv(columns, warps), ceilDiv(ny, rows)
	for _, v := range []int{across, nx, ny, rows, t.radius} {
		p.args = append(p.args, uint64(v))
	}
	p.args = append(p.args, t.arguments()...)
	return p
}

// temporalLaunch returns the launch of temporal.cu.
func temporalLaunch(t transition, w, h int, o Options) (launch, error) {
	const side, warps = 16, 4
	generations := Temporal.LaunchGenerations(t.radius, o)
	if most := Temporal.MostGenerations(t.radius); generations < 1 || generations > most {
		return launch{}, fmt.Errorf("%d generations a launch; 1 to %d are possible at radius %d", generations, most, t.radius)
	}
	halo := generations * t.radius
	aside := roundUp(halo, 8)
	columns, rows := patchColumns-2*aside, patchRows-2*halo // that a patch advances
	nx, margin := ceilDiv(w, side), ceilDiv(halo, side)
	patches, down := ceilDiv(nx*side, columns), ceilDiv(h, rows)
	// The last patches are in memory to their ends, and a fragment further, which all patches load.
	across := margin + ceilDiv((patches-1)*columns-aside+patchColumns, side) + 1
	tall := margin + ceilDiv((down-1)*rows-halo+patchRows, side)
	p := launch{
		layout: layout{
			name: "woven", bytes: across * tall * side * side, shape: []uint64{uint64(across), uint64(margin)},
			frame: frameCells(w, h, halo),
		},
		ptx: temporalPTX, kernel: "temporal_5", threads: 32 * warps, gridX: ceilDiv(patches, warps), gridY: down,
		generations: generations,
	}
	switch {
	case t.radius > 8:
		p.kernel = "temporal_16"
	case t.maxSum() > 127:
		p.kernel = "temporal_8"
	}
	for _, v := range []int{across, margin, nx, h, halo, aside, t.radius} {
		p.args = append(p.args, uint64(v))
	}
	p.args = append(p.args, t.arguments()...)
	return p, nil
}

// rowsLaunch returns the launch of rows.cu and bits.cu.
func rowsLaunch(m Method, t transition, w, h int) launch {
	const threads, turns = 256, 8
	products := 2 // of rows.cu; up to radius 16
	if t.radius > 16 {
		products = 3
	}
	p := launch{
		ptx: rowsPTX, kernel: fmt.Sprintf("rows_%d", products), threads: threads, gridX: ceilDiv(w, 128),
		gridY: ceilDiv(h, 64*turns),
	}
	var pitch int
	p.layout, pitch = inRows(w, h, t.radius)
	p.shared = (t.radius+1)*products*2*32*16 + (64+2*t.radius)*(6*32+32)
	if m == Bits {
		p.ptx, p.kernel, p.gridX, p.gridY = bitsPTX, "bits", ceilDiv(w, 256), ceilDiv(h, 32*turns)
		p.layout, pitch = inBits(w, h, t.radius)
		products = ceilDiv(3*(2*t.radius+1), 8)
		p.shared = products*(2*32*16+8*4) + (32+2*t.radius)*13*4
	}
	var widths [40]byte
	for i, w := range t.widths {
		widths[i] = byte(w)
	}
	for _, v := range []int{pitch, w, h, t.radius} {
		p.args = append(p.args, uint64(v))
	}
	for i := range 5 {
		p.args = append(p.args, binary.LittleEndian.Uint64(widths[8*i:]))
	}
	p.args = append(append(p.args, turns), t.arguments()...)
	return p
}

// volumeLaunch returns the launch of volume.cu.
func volumeLaunch(t transition, w, h int, o Options, processors int) (launch, error) {
	const warps = 4
	patchRows := cmp.Or(o.Rows, PatchRows[0])
	if !slices.Contains(PatchRows, patchRows) {
		return launch{}, fmt.Errorf("patches of %d rows; %s has patches of %d", patchRows, Volume, PatchRows)
	}
	p := launch{ptx: volumePTX, threads: 32 * warps}
	most := 8 // radius for which a factor has all columns that a fragment needs
	switch {
	case t.maxSum() >= 1<<15:
		most = 16
	case t.radius > most:
		most = 15
	}
	p.kernel = fmt.Sprintf("volume_%d_%d", most, patchRows)
	var across, down int
	p.layout, across, down = inLayers(w, h, o.Layers, patchRows, t.radius)
	words, rows := ceilDiv(w, 32), h/o.Layers
	patches := ceilDiv(rows, patchRows)
	resident := processors * 4 * warps // warps at a time
	if patchRows > 32 {
		resident = processors * 3 * warps
	}
	// All warps go through as many layers, and before those through the 2·radius layers around the first.
	layers, best := 0, math.MaxInt
	for chunks := 1; chunks <= o.Layers && patches*chunks <= maxBlocks; chunks++ {
		n := ceilDiv(o.Layers, chunks)
		if time := ceilDiv(words*patches*ceilDiv(o.Layers, n), resident) * (n + 2*t.radius); time < best {
			layers, best = n, time
		}
	}
	p.gridX, p.gridY = ceilDiv(words, warps), patches*ceilDiv(o.Layers, layers)
	for _, v := range []int{across, down, words, rows, o.Layers, layers, t.radius} {
		p.args = append(p.args, uint64(v))
	}
	p.args = append(p.args, t.arguments()...)
	return p, nil
}

// arguments returns the rule as arguments of kernels.
func (t transition) arguments() []uint64 {
	return []uint64{uint64(t.birth.Lo), uint64(t.birth.Hi), uint64(t.survival.Lo), uint64(t.survival.Hi)}
}

// crossing returns 1 if the neighbourhood is a cross.
func (t transition) crossing() int {
	if t.cross {
		return 1
	}
	return 0
}

// maxSum returns the largest sum of a neighbourhood.
func (t transition) maxSum() int {
	side := 2*t.radius + 1
	switch {
	case t.cross:
		return 2 * side
	case t.volume:
		return side * side * side
	}
	return side * side
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

func roundUp(a, b int) int { return ceilDiv(a, b) * b }
