package grid

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// plainStateHash follows the definition one cell at a time, with get for the cells and everything in memory.
func plainStateHash(box Rect, states int, unbounded bool, get func(x, y int) uint8) [32]byte {
	if unbounded {
		return plainUnboundedHash(box, states, get)
	}
	packed := plainRows(box, states, get)
	message, _ := binary.Append(nil, binary.LittleEndian, []int64{1, int64(states), int64(box.W), int64(box.H)})
	for len(packed) > 0 {
		n := min(len(packed), 1048576)
		sum := sha256.Sum256(packed[:n])
		message = append(message, sum[:]...)
		packed = packed[n:]
	}
	return sha256.Sum256(message)
}

// plainRows are the packed rows.
func plainRows(box Rect, states int, get func(x, y int) uint8) (packed []byte) {
	for k := range PlanesOf(states) {
		for y := range box.H {
			row := make([]byte, (box.W+7)/8)
			for x := range box.W {
				if get(box.X+x, box.Y+y)>>k&1 == 1 {
					row[x/8] |= 1 << (x % 8)
				}
			}
			packed = append(packed, row...)
		}
	}
	return packed
}

// plainUnboundedHash looks at every square in the box, dead or alive, and at one of each size outside.
func plainUnboundedHash(box Rect, states int, get func(x, y int) uint8) [32]byte {
	level := 5
	for half := 16; !box.Empty() && (box.X < -half || box.Y < -half || box.X+box.W > half ||
		box.Y+box.H > half); half *= 2 {
		level++
	}
	dead := map[int][32]byte{}
	var digest func(level, x, y int) [32]byte
	digest = func(level, x, y int) (sum [32]byte) {
		if (Rect{x, y, 1 << level, 1 << level}).Intersect(box).Empty() {
			if sum, known := dead[level]; known {
				return sum
			}
			defer func() { dead[level] = sum }()
		}
		if level == 4 {
			return sha256.Sum256(plainRows(Rect{x, y, 16, 16}, states, get))
		}
		half := 1 << (level - 1)
		var message []byte
		for _, quarter := range [][2]int{{0, 0}, {half, 0}, {0, half}, {half, half}} {
			sum := digest(level-1, x+quarter[0], y+quarter[1])
			message = append(message, sum[:]...)
		}
		return sha256.Sum256(message)
	}
	root := digest(level, -1<<(level-1), -1<<(level-1))
	message, _ := binary.Append(nil, binary.LittleEndian, []int64{2, int64(states), int64(level)})
	return sha256.Sum256(append(message, root[:]...))
}

func stateHash(t rapid.TB, src Source, states int, unbounded bool) [32]byte {
	t.Helper()
	sum, err := StateHash(context.Background(), src, states, unbounded)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func bytesHash(t rapid.TB, src Source) string {
	t.Helper()
	sum, err := BytesHash(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(sum[:])
}

func TestHashesMatchTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := randomGrid(t)
		states := rapid.IntRange(1<<(g.planes-1)+1, 1<<g.planes).Draw(t, "states")
		if got, want := stateHash(t, source{g}, states, false),
			plainStateHash(g.Bounds(), states, false, g.Get); got != want {
			t.Fatalf("state hash %x, want %x", got, want)
		}
		var cells []byte
		for y := range g.h {
			for x := range g.w {
				cells = append(cells, g.Get(x, y))
			}
		}
		want := sha256.Sum256(cells)
		if got := bytesHash(t, source{g}); got != hex.EncodeToString(want[:]) {
			t.Fatalf("bytes hash %s, want %x", got, want)
		}
	})
}

// Rows longer than one read, rows of no whole words or bytes, more than one piece, and pieces that end inside a
// row, on its end and on another plane.
func TestStateHashOfManyPieces(t *testing.T) {
	for _, c := range []struct{ w, h, planes int }{
		{3<<20 + 5, 5, 1},
		{1 << 20, 16, 1},
		{8, 1<<20 + 1, 1},
		{100_001, 90, 2},
		{1<<20 - 1, 9, 2},
		{1<<20 + 1, 9, 2},
		{777, 11_000, 1},
	} {
		g := newGrid(t, c.w, c.h, c.planes)
		for i := 0; i < g.w*g.h; i += 4099 {
			g.Set(i%g.w, i/g.w, uint8(1+i&(1<<c.planes-1)))
		}
		want := plainStateHash(g.Bounds(), 1<<c.planes, false, g.Get)
		for _, src := range []Source{g, source{g}} { // packed by several goroutines, and by one
			if got := stateHash(t, src, 1<<c.planes, false); got != want {
				t.Errorf("%T of %d×%d: state hash %x, want %x", src, g.w, g.h, got, want)
			}
		}
	}
}

// counted is a part of the plane that counts the rows that are read of it.
type counted struct {
	Part
	rows *int
}

// ReadRow implements Source.
func (c counted) ReadRow(dst []uint64, plane, x, y, n int) error {
	*c.rows++
	return c.Part.ReadRow(dst, plane, x, y, n)
}

// Only pieces with rows that may have cells are read, and the sum is that of all rows.
func TestStateHashSkipsDeadPieces(t *testing.T) {
	for _, c := range []struct {
		bounds Rect
		planes int
		at     [][2]int
	}{
		{Rect{-5, -5, 3<<20 + 5, 5}, 1, [][2]int{{-5, -2}}},
		{Rect{0, 0, 8, 5 << 20}, 1, [][2]int{{1, 1}, {7, 5<<20 - 1}}},
		{Rect{3, 9, 100_001, 700}, 2, [][2]int{{100, 300}, {99_000, 301}}},
		{Rect{-70, -8, 1<<16 + 1, 900}, 3, [][2]int{{0, 0}, {-1, 890}, {5, 891}}},
		{Rect{0, 0, 1 << 16, 300}, 2, nil},
	} {
		tiles, g := newTiles(t, c.planes), newGrid(t, c.bounds.W, c.bounds.H, c.planes)
		for i, at := range c.at {
			state := uint8(1 + i%(1<<c.planes-1))
			tiles.Set(at[0], at[1], state)
			g.Set(at[0]-c.bounds.X, at[1]-c.bounds.Y, state)
		}
		rows := 0
		src := counted{Part{Source: tiles, Bounds: c.bounds}, &rows}
		got := stateHash(t, src, 1<<c.planes, false)
		if want := stateHash(t, source{g}, 1<<c.planes, false); got != want { // reads every row
			t.Errorf("%v: state hash %x, want %x", c.bounds, got, want)
		}
		reads := (c.bounds.W + hashRowCells - 1) / hashRowCells
		perPiece := 2*reads + 2*hashPiece/((c.bounds.W+7)/8)
		if most := (2*len(c.at) + 1) * c.planes * perPiece; rows > most || rows >= c.bounds.H*reads*c.planes {
			t.Errorf("%v: %d reads of rows, want at most %d", c.bounds, rows, most)
		}
	}
}

// A universe of 128 TiB has 2^27 pieces. Hashing it ends with its context, even if no row is read.
func TestStateHashOfEmptySpaceIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	src := Part{Source: newTiles(t, 1), Bounds: Rect{0, 0, 1 << 25, 1 << 25}}
	if sum, err := StateHash(ctx, src, 2, false); !errors.Is(err, context.Canceled) {
		t.Errorf("%x, %v", sum, err)
	}
}

// unreadable fails from a row on.
type unreadable struct {
	*Grid
	from     int
	parallel bool
}

var errUnreadable = errors.New("cells cannot be read")

// ReadRow implements Source.
func (u unreadable) ReadRow(dst []uint64, plane, x, y, n int) error {
	if y >= u.from {
		return errUnreadable
	}
	return u.Grid.ReadRow(dst, plane, x, y, n)
}

// ReadsInParallel implements parallelSource.
func (u unreadable) ReadsInParallel() bool { return u.parallel }

// A row that cannot be read gives exactly one error, from any goroutine.
func TestStateHashOfCellsThatCannotBeRead(t *testing.T) {
	g := newGrid(t, 100_001, 500, 1)
	for _, from := range []int{0, 250, 499} {
		for _, parallel := range []bool{false, true} {
			if sum, err := StateHash(t.Context(), unreadable{g, from, parallel}, 2, false); err != errUnreadable {
				t.Errorf("from row %d on, parallel %v: %x, %v", from, parallel, sum, err)
			}
		}
	}
}

// The format is public: these values must never change while the versions are 1 and 2. They were made by a
// program that is not Gosper (a few lines of Python from the definition).
func TestStateHashGolden(t *testing.T) {
	glider := newGrid(t, 70, 50, 1)
	wire := newGrid(t, 9, 3, 2)
	tiles, err := NewTiles(1)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := NewTiles(1)
	if err != nil {
		t.Fatal(err)
	}
	far, four := newTiles(t, 1), newTiles(t, 2)
	for _, at := range [][2]int{{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}} {
		glider.Set(at[0], at[1], 1)
		far.Set(at[0], at[1], 1)
		far.Set(at[0]+1e15, at[1]-7, 1)
		four.Set(at[0], at[1], uint8(at[0]+1))
		tiles.Set(at[0]-1000, at[1]+3, 1)
		wire.Set(at[0], at[1], uint8(at[0]+1))
	}
	for _, c := range []struct {
		name      string
		src       Source
		states    int
		unbounded bool
		want      string
	}{
		{"one dead cell", newGrid(t, 1, 1, 1), 2, false, "3b2d077e1d189f619c313227230c4e238ba04081617d3d85d5916fff2607e2d6"},
		{"glider on 70×50", glider, 2, false, "a62388b0cf9c0396b93b0cae028e60d4ce2247965cdc35ed4166f9bb9eb894da"},
		{"four states on 9×3", wire, 4, false, "a95245728c03817659a39011b3381ab44613642e1e2b09af726a725af7a320d7"},
		{"glider at (-1000, 3)", tiles, 2, true, "77bfa780a4bcf0a504cb2ceb5f837bb5cbfd1bbc48404686038fb2719faa6433"},
		{"empty plane", empty, 2, true, "9bf72eab513fcc54e1d5cf2541db3e3edcabc3024b63e0f8d17b4dd5bc448e69"},
		{"four states on the plane", four, 4, true, "35a43082d97fdf36eda11102cf2160e406178601ec57ddc52947f1f613224435"},
		{"two gliders far apart", far, 2, true, "1d2aab388f40fad33bc788ebbf738f6d60bf54293485c326f3abb9b5e3707cd0"},
	} {
		sum := stateHash(t, c.src, c.states, c.unbounded)
		if got := hex.EncodeToString(sum[:]); got != c.want {
			t.Errorf("%s: state hash %s, want %s", c.name, got, c.want)
		}
	}
}

// What must tell universes apart does.
func TestStateHashSeparates(t *testing.T) {
	tiles, err := NewTiles(1)
	if err != nil {
		t.Fatal(err)
	}
	tiles.Set(0, 0, 1)
	dot := newGrid(t, 1, 1, 1)
	dot.Set(0, 0, 1)
	seen := map[[32]byte]string{}
	note := func(name string, sum [32]byte) {
		if other, ok := seen[sum]; ok {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[sum] = name
	}
	note("bounded", stateHash(t, dot, 2, false))
	note("three states", stateHash(t, dot, 3, false))
	note("unbounded", stateHash(t, tiles, 2, true))
	tiles.Set(0, 0, 0)
	tiles.Set(0, 1, 1)
	note("moved", stateHash(t, tiles, 2, true))
	note("wide", stateHash(t, newGrid(t, 2, 8, 1), 2, false))
	note("high", stateHash(t, newGrid(t, 8, 2, 1), 2, false))
}

// SHA-256 of 6 and of 0 bytes, and of the states 1, 2, 3 as bytes, from the definition of SHA-256 alone.
func TestBytesHashGolden(t *testing.T) {
	g := newGrid(t, 3, 1, 2)
	for x := range 3 {
		g.Set(x, 0, uint8(x+1))
	}
	if got, want := bytesHash(t, g), "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81"; got != want {
		t.Errorf("bytes 1 2 3: %s, want %s", got, want)
	}
	empty, err := NewTiles(1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := bytesHash(t, empty), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"; got != want {
		t.Errorf("no bytes: %s, want %s", got, want)
	}
}

func TestHashesRefuseWhatCannotBeWalked(t *testing.T) {
	tiles := newTiles(t, 1)
	tiles.Set(math.MinInt/4, 0, 1)
	tiles.Set(math.MaxInt/4, 1<<40, 1)
	if _, err := BytesHash(t.Context(), tiles); !errors.Is(err, ErrTooLarge) {
		t.Error("bytes hash of a box of 2^100 cells was not refused")
	}
	if _, err := StateHash(t.Context(), source{tiles}, 2, true); !errors.Is(err, ErrTooLarge) ||
		!strings.HasPrefix(err.Error(), "state hash of ") {
		t.Errorf("state hash of a source that does not tell where its cells are: error %v", err)
	}
	if _, err := StateHash(t.Context(), vast{}, 2, false); !errors.Is(err, ErrTooLarge) ||
		!strings.HasPrefix(err.Error(), "state hash of ") {
		t.Errorf("state hash of rows of 2^57 bytes: error %v", err)
	}
}

// TestStateHashOfVastUniverses makes the digest of a cell in the corner of a torus of 2^60 cells by its definition.
func TestStateHashOfVastUniverses(t *testing.T) {
	tiles := newTiles(t, 1)
	tiles.Set(0, 0, 1)
	dead, live := sha256.Sum256(make([]byte, 32)), sha256.Sum256(append([]byte{1}, make([]byte, 31)...))
	join := func(quarters ...Digest) Digest {
		var text []byte
		for _, q := range quarters {
			text = append(text, q[:]...)
		}
		return sha256.Sum256(text)
	}
	level := 4
	for ; level < 30; level++ {
		dead, live = join(dead, dead, dead, dead), join(live, dead, dead, dead)
	}
	root := join(dead, dead, dead, live)
	var text []byte
	for _, n := range []uint64{3, 2, 1 << 30, 1 << 30} {
		text = binary.LittleEndian.AppendUint64(text, n)
	}
	want := sha256.Sum256(append(text, root[:]...))
	got, err := StateHash(t.Context(), Part{Source: tiles, Bounds: Rect{0, 0, 1 << 30, 1 << 30}}, 2, false)
	if err != nil || got != want {
		t.Errorf("%x, %v, want %x", got, err, want)
	}
}

// vast is a bounded universe of 2^60 cells.
type vast struct{ *Grid }

// Extent implements Source.
func (vast) Extent() (Rect, error) { return Rect{W: 1 << 30, H: 1 << 30}, nil }

// Hashes end when they are no longer wanted.
func TestHashesStop(t *testing.T) {
	tiles, g := newTiles(t, 1), newGrid(t, 9, 9, 1)
	tiles.Set(1000, 0, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, src := range []Source{tiles, g} {
		if _, err := StateHash(ctx, src, 2, src == Source(tiles)); !errors.Is(err, context.Canceled) {
			t.Errorf("state hash of %T: error %v", src, err)
		}
		if _, err := BytesHash(ctx, src); !errors.Is(err, context.Canceled) {
			t.Errorf("bytes hash of %T: error %v", src, err)
		}
	}
}

func BenchmarkStateHash(b *testing.B) {
	for _, w := range benchmarkedWidths {
		b.Run(strconv.Itoa(w), func(b *testing.B) {
			g := newGrid(b, w, 1<<26/w, 1)
			b.SetBytes(int64((w + 7) / 8 * g.h))
			for b.Loop() {
				stateHash(b, g, 2, false)
			}
		})
	}
}

// Packing alone, on one core.
func BenchmarkPack(b *testing.B) {
	for _, w := range benchmarkedWidths {
		b.Run(strconv.Itoa(w), func(b *testing.B) {
			g := newGrid(b, w, 1<<26/w, 1)
			r, err := newPacker(g, g.Bounds(), 1)
			if err != nil {
				b.Fatal(err)
			}
			p := new(packed)
			b.SetBytes(int64(r.size))
			for b.Loop() {
				for first := 0; first < r.size; first += hashPiece {
					InMemory(r.pack(p, first, min(r.size, first+hashPiece)))
				}
			}
		})
	}
}

var benchmarkedWidths = []int{1 << 14, 100_001, 1_000_000, 70}
