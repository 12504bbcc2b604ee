package tree

import (
	"context"
	"errors"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// life is a stepper of Conway's Life for leaves of 32×32 cells.
type life struct{}

// Advance implements Stepper.
func (life) Advance(squares []Base, n, _ int) {
	for _, b := range squares {
		advance(b.Middle, b.NW, b.NE, b.SW, b.SE, n)
	}
}

func advance(dst, nw, ne, sw, se []uint64, n int) {
	row := func(leaf []uint64, y int) uint64 { return leaf[y/2] >> (y % 2 * 32) & (1<<32 - 1) }
	var rows [66]uint64 // with a dead row above and below; the errors that they cause do not reach the middle
	for y := range 32 {
		rows[1+y] = row(nw, y) | row(ne, y)<<32
		rows[33+y] = row(sw, y) | row(se, y)<<32
	}
	for range n {
		next := rows
		for y := 1; y <= 64; y++ {
			var ones, twos, fours uint64 // ones and twos: the number of neighbours modulo 4; fours: at least 4
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if dx == 0 && dy == 0 {
						continue
					}
					add := rows[y+dy] >> max(dx, 0) << max(-dx, 0)
					carry := ones & add
					ones ^= add
					fours |= twos & carry
					twos ^= carry
				}
			}
			next[y] = twos &^ fours & (ones | rows[y])
		}
		rows = next
	}
	for y := range 32 {
		dst[y/2] &^= (1<<32 - 1) << (y % 2 * 32)
		dst[y/2] |= rows[17+y] >> 16 & (1<<32 - 1) << (y % 2 * 32)
	}
}

func (life) Cost() float64 { return 10 }

func newTree(t testing.TB, memory uint64, threads int) *Tree {
	t.Helper()
	u, err := New(Shape{Leaf: 5, Planes: 1}, memory, threads, func() (Stepper, error) { return life{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	})
	return u
}

// draw replaces the universe by random cells in a square of a level. One in oneIn cells is live.
func draw(t testing.TB, u *Tree, seed uint64, level, oneIn int) {
	t.Helper()
	if err := u.Reserve(1<<(2*(level-4)), 1<<(2*(level-5))); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	leaf := make([]uint64, u.leafWords)
	var square func(level int) Ref
	square = func(level int) Ref {
		if level == u.Leaf {
			clear(leaf)
			for i := range 64 * len(leaf) {
				if random.IntN(oneIn) == 0 {
					leaf[i>>6] |= 1 << (i & 63)
				}
			}
			return u.LeafOf(leaf)
		}
		var q [4]Ref
		for i := range q {
			q[i] = square(level - 1)
		}
		return u.Node(level, q[0], q[1], q[2], q[3])
	}
	u.Root, u.Level = square(level), level
}

// hashed returns a hash of a square's cells that does not depend on its references.
func hashed(u *Tree, n Ref, level int) uint64 {
	if n == 0 {
		return 0
	}
	if level == u.Leaf {
		sum, _ := hashOf(u.Cells(n))
		return sum
	}
	sum := uint64(level)
	for _, child := range u.Children(n) {
		sum = bits.RotateLeft64(sum, 7)*0x9E3779B97F4A7C15 ^ hashed(u, child, level-1)
	}
	return sum
}

// universe describes the contents of a tree.
type universe struct {
	cells, population uint64
	level             int
}

func look(u *Tree) universe { return universe{hashed(u, u.Root, u.Level), u.Population(), u.Level} }

// check fails unless the index finds every square in use by its contents, each square exists once, all
// references are valid, and no worker has left a claim.
func check(t testing.TB, u *Tree) {
	t.Helper()
	w := u.all[0]
	found := 0
	for i := 1; i < u.nodeStore.used(); i++ {
		x := u.nodes[i]
		if x.level == 0 {
			continue
		}
		found++
		if n := w.find(int(x.level), &x.quarters, hash(int(x.level), &x.quarters)); n != Ref(i) {
			t.Fatalf("square %d is found as %d", i, n)
		}
		children := x.refs()
		for _, r := range append(children[:], Ref(x.full), Ref(x.part)) {
			switch top := u.leafStore.used(); {
			case r == claimed:
				t.Fatalf("square %d is still claimed", i)
			case r == 0 || r == unknown:
			case int(x.level) == u.Base() && int(r) >= top:
				t.Fatalf("square %d refers to leaf %d of %d", i, r, top)
			case int(x.level) > u.Base() && int(u.nodes[r].level) != int(x.level)-1:
				t.Fatalf("square %d of level %d refers to one of level %d", i, x.level, u.nodes[r].level)
			}
		}
	}
	for i := 1; i < u.leafStore.used(); i++ {
		if _, live := hashOf(u.at(Ref(i))); live != 0 {
			found++
			if n := w.leaf(u.at(Ref(i))); n != Ref(i) {
				t.Fatalf("leaf %d is found as %d", i, n)
			}
		}
	}
	entries := 0
	for _, x := range []index{u.nodeStore.index, u.leafStore.index} {
		for _, entry := range x.entries {
			if entry != 0 {
				entries++
			}
		}
	}
	if entries != found {
		t.Fatalf("%d entries for %d squares", entries, found)
	}
}

// TestJoining makes many workers join the same squares at once, each in its own order. All must get the same
// node for the same square.
func TestJoining(t *testing.T) {
	const squares, threads = 2000, 8
	u := newTree(t, 0, threads)
	var refs [threads][squares]Ref
	var leaves [threads][squares]Ref
	var all sync.WaitGroup
	for i, w := range u.all {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 2))
			cells := make([]uint64, u.leafWords)
			for _, k := range random.Perm(squares) {
				cells[0] = uint64(k + 1)
				leaves[i][k] = w.leaf(cells)
				r := Ref(k + 1)
				w.joins[0] = quarters{beside(r, 2*r), beside(0, r%7)}
				w.joinAll(u.Base(), w.joins[:1])
				refs[i][k] = w.joined[0]
				if again := w.node(u.Base(), r, 2*r, 0, r%7); again != w.joined[0] {
					t.Errorf("square %d is %d and %d", k, w.joined[0], again)
				}
			}
		})
	}
	all.Wait()
	different := map[Ref]bool{}
	for k := range squares {
		different[refs[0][k]] = true
		for i := range threads {
			if refs[i][k] != refs[0][k] || leaves[i][k] != leaves[0][k] {
				t.Fatalf("square %d is %d, %d for worker %d, and %d, %d for the first", k, refs[i][k], leaves[i][k], i, refs[0][k],
					leaves[0][k])
			}
		}
	}
	if len(different) != squares {
		t.Errorf("%d nodes for %d squares", len(different), squares)
	}
}

// TestLevels checks that squares with the same references and different levels are different nodes, and that
// dead squares have none.
func TestLevels(t *testing.T) {
	u := newTree(t, 0, 1)
	if a, b := u.Node(6, 1, 2, 3, 4), u.Node(7, 1, 2, 3, 4); a == b {
		t.Error("one node for two levels")
	}
	if u.Node(9, 0, 0, 0, 0) != 0 || u.LeafOf(make([]uint64, u.leafWords)) != 0 {
		t.Error("a dead square has a node")
	}
}

// TestWorkers checks that the universe does not depend on the number of workers.
func TestWorkers(t *testing.T) {
	var want universe
	for _, threads := range []int{1, 2, 7} {
		u := newTree(t, 0, threads)
		draw(t, u, 5, 8, 9)
		for _, n := range []uint64{100, 64, 3, 17} {
			if err := u.Advance(t.Context(), n, 0); err != nil {
				t.Fatal(err)
			}
			check(t, u)
		}
		got := look(u)
		if threads == 1 {
			want = got
		}
		if got != want || got.population == 0 {
			t.Errorf("%d workers: %+v, one: %+v", threads, got, want)
		}
	}
}

// TestGrowth checks that squares keep their references, and are still found, when tables grow.
func TestGrowth(t *testing.T) {
	u := newTree(t, 0, 3)
	draw(t, u, 6, 8, 5)
	before, children := look(u), u.Children(u.Root)
	for range 7 {
		if err := u.Reserve(u.nodeStore.most, u.leafStore.most); err != nil {
			t.Fatal(err)
		}
		check(t, u)
		if look(u) != before || u.Children(u.Root) != children {
			t.Fatal("growth moved squares")
		}
	}
}

// TestStopped cancels a step while room is made. The universe must not change, and later steps must be right.
func TestStopped(t *testing.T) {
	for _, threads := range []int{1, 3} {
		u, v := newTree(t, 0, threads), newTree(t, 0, 1)
		for _, tree := range []*Tree{u, v} {
			draw(t, tree, 9, 8, 5)
			if err := tree.Advance(t.Context(), 40, 0); err != nil {
				t.Fatal(err)
			}
		}
		before, root, nodes, leaves := look(u), u.Root, u.nodeStore.most, u.leafStore.most
		u.stop.Store(cancelled)
		if err := u.resize(2*nodes, 2*leaves); !errors.Is(err, errStopped) {
			t.Fatalf("making room: %v", err)
		}
		if u.collect(nil, true) {
			t.Fatal("squares were collected")
		}
		check(t, u)
		if look(u) != before || u.Root != root || u.nodeStore.most != nodes || u.leafStore.most != leaves {
			t.Fatal("something is not as it was")
		}
		u.stop.Store(goOn)
		if err := u.resize(2*nodes, 2*leaves); err != nil {
			t.Fatal(err)
		}
		check(t, u)
		for _, tree := range []*Tree{u, v} {
			if err := tree.Advance(t.Context(), 77, 0); err != nil {
				t.Fatal(err)
			}
		}
		if look(u) != look(v) {
			t.Fatal("the universes differ")
		}
	}
}

// TestCollecting checks that a collection keeps what the root needs, with or without futures, that a second
// collection removes nothing more, and that later steps are right.
func TestCollecting(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		u, v := newTree(t, 0, 2), newTree(t, 0, 1)
		seed := rapid.Uint64().Draw(r, "seed")
		futures := rapid.Bool().Draw(r, "futures")
		steps := rapid.SliceOfN(rapid.Uint64Range(1, 40), 1, 4).Draw(r, "steps")
		draw(t, u, seed, 7, 6)
		draw(t, v, seed, 7, 6)
		for _, n := range steps {
			for _, tree := range []*Tree{u, v} {
				if err := tree.Advance(t.Context(), n, 0); err != nil {
					r.Fatal(err)
				}
			}
			before, squares := look(u), u.nodeStore.used()
			u.collect(nil, futures)
			check(t, u)
			if look(u) != before {
				r.Fatal("the root changed")
			}
			if u.nodeStore.used() > squares {
				r.Fatal("there are more squares than before")
			}
			again := u.nodeStore.used()
			u.collect(nil, futures)
			if u.nodeStore.used() != again {
				r.Fatalf("%d squares are left of %d that were needed", u.nodeStore.used(), again)
			}
			if look(u) != look(v) {
				r.Fatal("the universes differ")
			}
		}
	})
}

// TestKeepingFutures checks that a known step is not computed again after a collection that keeps futures.
func TestKeepingFutures(t *testing.T) {
	for _, futures := range []bool{true, false} {
		var computed atomic.Int64
		u, err := New(Shape{Leaf: 5, Planes: 1}, 0, 1, func() (Stepper, error) { return counting{life{}, &computed}, nil })
		if err != nil {
			t.Fatal(err)
		}
		draw(t, u, 8, 7, 6)
		for range 2 {
			u.Grow()
		}
		root, level := u.Root, u.Level
		if _, err := u.future(t.Context(), 32, 0); err != nil {
			t.Fatal(err)
		}
		first := computed.Load()
		u.Root = root
		u.collect(nil, futures)
		if u.Level != level {
			t.Fatal("the root's level changed")
		}
		if _, err := u.future(t.Context(), 32, 0); err != nil {
			t.Fatal(err)
		}
		if again := computed.Load() - first; (again == 0) != futures {
			t.Errorf("futures kept: %v, %d squares of %d are computed again", futures, again, first)
		}
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}
}

// counting is a stepper that counts its calls.
type counting struct {
	life
	computed *atomic.Int64
}

// Advance implements Stepper.
func (s counting) Advance(squares []Base, n, phase int) {
	s.computed.Add(int64(len(squares)))
	s.life.Advance(squares, n, phase)
}

// TestLittleMemory makes steps that need more memory than is free. A step must end with the right cells, or fail and
// leave the universe unchanged. Both must occur.
func TestLittleMemory(t *testing.T) {
	want := newTree(t, 0, 1)
	draw(t, want, 9, 10, 8)
	start := look(want)
	if err := want.Advance(t.Context(), 120, 0); err != nil {
		t.Fatal(err)
	}
	refused, ended := false, false
	for _, kilobytes := range []uint64{1000, 1600, 6000, 24000} {
		u := newTree(t, kilobytes<<10, 1)
		draw(t, u, 9, 10, 8)
		switch err := u.Advance(t.Context(), 120, 0); {
		case err != nil:
			refused = true
			if look(u) != start {
				t.Errorf("%d KiB: the universe changed: %v", kilobytes, err)
			}
		case look(u) != look(want):
			t.Errorf("%d KiB: %+v, with all memory %+v", kilobytes, look(u), look(want))
		default:
			ended = true
		}
		check(t, u)
	}
	if !refused || !ended {
		t.Errorf("refused: %v, ended: %v; both are to be seen", refused, ended)
	}
}

// TestCancelling checks that a cancelled step leaves the universe unchanged, and that the next step is right.
func TestCancelling(t *testing.T) {
	u := newTree(t, 0, 2)
	draw(t, u, 10, 7, 6)
	before := look(u)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for u.Advance(ctx, 48, 0) == nil { // the step may end before it notices the cancellation
		draw(t, u, 10, 7, 6)
		u.collect(nil, false)
	}
	if look(u) != before {
		t.Error("a cancelled step changed the universe")
	}
	v := newTree(t, 0, 1)
	draw(t, v, 10, 7, 6)
	for _, tree := range []*Tree{u, v} {
		if err := tree.Advance(t.Context(), 48, 0); err != nil {
			t.Fatal(err)
		}
	}
	if look(u) != look(v) {
		t.Error("the universe after a cancelled step differs")
	}
}

// slow is a stepper whose first squares cancel the step. It waits until the step knows.
type slow struct {
	life
	cancel context.CancelFunc
	tree   **Tree
	calls  *int
}

// Advance implements Stepper.
func (s slow) Advance(squares []Base, n, phase int) {
	s.cancel()
	for !(*s.tree).isCancelled() {
		runtime.Gosched()
	}
	*s.calls += len(squares)
	s.life.Advance(squares, n, phase)
}

// TestCancellingLargeLeaves checks that a step ends after one square of large leaves, of which each may take a second.
func TestCancellingLargeLeaves(t *testing.T) {
	few := manyWords
	defer func() { manyWords = few }()
	manyWords = 0
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	var u *Tree
	u, err := New(Shape{Leaf: 5, Planes: 1}, 0, 1, func() (Stepper, error) {
		return slow{life{}, cancel, &u, &calls}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	draw(t, u, 10, 7, 6)
	before := look(u)
	if err := u.Advance(ctx, 48, 0); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if calls != 1 || look(u) != before {
		t.Errorf("%d squares were computed after the step was cancelled; the universe has changed: %v", calls,
			look(u) != before)
	}
}
