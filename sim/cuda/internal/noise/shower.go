package noise

import (
	"math/bits"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/rule/chance"
)

// Shower makes the rare random bits of a warp's columns in shared memory, for a kernel whose lanes have 64
// columns each. A lane makes those of one row and generation at a time, one segment after the other: a warp
// looks at one segment or two. Rows lie in shared memory as in that of the device:
//
//	row of lane 0's task   lane 0: 2 words, lane 1: 2 words, … lane 31    showerRow bytes
//	row of lane 1's task   …
type Shower struct {
	k        *ptx.Kernel
	tasks    int
	table    ptx.B64
	shared   ptx.B32    // address
	begin    [2]*philox // by segment
	first    [2]ptx.B32 // by segment: the lane that has its first group
	lanes    [2]ptx.B32 // by segment: how many lanes may have columns of it
	one      ptx.Pred   // there is one segment
	idle     ptx.Pred   // the lane has no task
	row, own ptx.B32    // addresses of the row of its task, and of its words of row 0
}

// showerRow is the bytes of a row of a warp.
const showerRow = 8 * ptx.Lanes

// segmentGroups is the number of groups a segment has.
const segmentGroups = random.Segment / 64

// OneRare reports whether a shower can make the random bits: those of one rare probability.
func OneRare(chances []circuit.Chance) bool {
	return len(chances) == 1 && chances[0].Most <= random.Rare && chances[0].Below == chances[0].Most && !chances[0].Pairs
}

// Segments reports whether the columns of a warp, in a row of the given number of groups that form a ring, belong to
// at most two segments.
func Segments(groups int) bool {
	rest := groups % segmentGroups
	return groups >= ptx.Lanes && (rest == 0 || rest >= ptx.Lanes-1)
}

// NewTable stores in a device's memory the table by which a shower finds numbers of points. It returns the address.
func NewTable(dev *gpu.Device, chances []circuit.Chance) (uint64, error) {
	table := append(random.NewPoints(uint64(chances[0].Most)).Table(), 0) // entries are loaded ahead
	at, err := dev.Alloc(8 * uint64(len(table)))
	if err == nil {
		err = dev.Write(at, gpu.Bytes(table))
	}
	return at, err
}

// RareBits describes the bits that a shower makes: the chance, the address of the table that NewTable put into
// memory, and the counter of generations.
type RareBits struct {
	Chance         circuit.Chance
	Table, Counter ptx.B64
}

// Columns are those of a warp: lane 0 has group First of a row of Groups groups, which are a ring if Wrap is not 0.
type Columns struct{ First, Groups, Wrap ptx.B32 }

// Tasks are the rows that a shower makes at once. Lane t has task t, if t is less than the number of tasks. Its
// generation is Ahead after that of the counter.
type Tasks struct {
	N           int
	Lane, Ahead ptx.B32
}

// NewShower prepares a shower for a warp.
func NewShower(k *ptx.Kernel, keys keys, rare RareBits, columns Columns, tasks Tasks) *Shower {
	w := &Shower{k: k, tasks: tasks.N, table: rare.Table, shared: k.Shared(), idle: k.CompareN("ge", tasks.Lane, tasks.N)}
	w.row, w.own = k.MulAdd(tasks.Lane, k.Const(showerRow), w.shared), k.MulAdd(tasks.Lane, k.Const(8), w.shared)
	ring := k.CompareN("ne", columns.Wrap, 0)
	group := k.Select(k.AndPred(ring, k.CompareN("lt", columns.First, 0)), k.Add(columns.First, columns.Groups),
		columns.First)
	last := k.AddN(group, ptx.Lanes-1)
	around := k.AndPred(ring, k.Compare("ge", last, columns.Groups))
	last = k.Select(around, k.Sub(last, columns.Groups), last)
	low, high := k.Halves(rare.Counter)
	if rare.Chance.Use != chance.UseSite { // a use has 60 bits of the generation
		sum := k.Add64(rare.Counter, k.Wide(tasks.Ahead))
		lowSum, highSum := k.Halves(sum)
		low, high = lowSum, k.Lop3(0xCA, k.Const(1<<28-1), highSum, high)
	}
	w.first[0] = k.Sub(k.Const(0), k.AndN(group, segmentGroups-1))
	w.first[1] = k.Sub(k.Const(ptx.Lanes-1), k.AndN(last, segmentGroups-1))
	w.lanes[0] = k.Select(around, k.Sub(columns.Groups, group), k.Const(ptx.Lanes))
	w.lanes[1] = k.Const(ptx.Lanes)
	shift := bits.Len(segmentGroups - 1)
	from, to := k.SarN(group, shift), k.SarN(last, shift)
	for i, segment := range []ptx.B32{from, to} {
		w.begin[i] = newPhilox(k, keys, segment, low, high)
	}
	// A warp can cover the end and the beginning of a row within one segment. It then looks at this segment twice.
	w.one = k.Compare("eq", k.Select(around, k.Const(-1), from), k.Select(around, k.Const(0), to))
	return w
}

// ShowerBytes returns the shared memory of a shower for the given number of tasks.
func ShowerBytes(tasks int) int { return (tasks*showerRow + 511) / 512 * 512 }

// Fall makes the bits of all tasks, each of a row.
func (w *Shower) Fall(row ptx.B32) {
	k, zero := w.k, w.k.Const(0)
	k.WarpBarrier()
	clear := k.MulAdd(k.Special("tid.x"), k.Const(16), w.shared)
	for n := 0; n < ShowerBytes(w.tasks); n += 512 {
		k.StoreShared(clear, n, zero, zero, zero, zero)
	}
	k.WarpBarrier()
	w.segment(0, row)
	one := k.NewLabel()
	k.BranchIf(w.one, one)
	w.segment(1, row)
	k.Place(one)
	k.WarpBarrier()
}

// segment makes the points of a segment.
func (w *Shower) segment(i int, row ptx.B32) {
	k, p := w.k, w.begin[i]
	a, b, c, d := p.row(row)
	end := p.keys[random.Rounds-1]
	low0, high0 := k.Halves(k.MulWideU(a, p.m0))
	low1, high1 := k.Halves(k.MulWideU(c, p.m1))
	z, other := k.NewB64(), k.NewB64()
	k.Move64(z, k.Pair(k.Lop3(lut.Xor3, high1, b, end[0]), low1))
	k.Move64(other, k.Pair(k.Lop3(lut.Xor3, high0, d, end[1]), low0))
	none := k.Const(-1)
	v := k.Pair(k.Select(w.idle, none, next(k, z)), k.Select(w.idle, none, next(k, other)))

	at, most, ahead := k.NewB64(), k.NewB64(), k.NewB64()
	k.Move64(at, w.table)
	k.Move64(most, k.Load64(at, 0))
	k.Move64(ahead, k.Load64(at, 8))
	top, done := k.NewLabel(), k.NewLabel()
	k.Place(top)
	more := k.Below64(v, most) // fewer and fewer lanes go on
	k.BranchUnless(k.Any(more), done)
	k.Increase64(at, k.Const64(8))
	k.Move64(most, ahead)
	k.Move64(ahead, k.Load64(at, 8))
	// The upper bits are a column: its lane, its bit and its word.
	//
	//	bit of a point     31 … 26     25 … 21       20           19 … 0
	//	                    lane      bit of word   word of lane   unused
	point := next(k, z)
	to := k.Add(k.ShrN(point, 26), w.first[i])
	here := k.BelowAnd(to, w.lanes[i], more)
	place := k.Add(k.MulAdd(to, k.Const(8), w.row), k.AndN(k.ShrN(point, 18), 4))
	k.OrSharedIf(here, place, 0, k.BitAt(k.ShrN(point, 21)))
	k.Branch(top)
	k.Place(done)
}

// Load reads the lane's words of the row of a task.
func (w *Shower) Load(task int) []ptx.B32 { return w.k.LoadShared(w.own, task*showerRow, 2) }
