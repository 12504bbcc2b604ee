package circuit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/internal/diskcache"
	"github.com/gosper-life/gosper/internal/rulefiletest"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// largeFunction is one whose circuit is kept.
func largeFunction(t *testing.T) *local.Function {
	t.Helper()
	f, err := rulefile.Limits{}.Parse("large", []byte(rulefiletest.Text("large", "vonNeumann", "none", 16, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if n := f.Function.Diagram().Size(); n < keptLeast {
		t.Fatalf("its diagram has %d nodes, want %d", n, keptLeast)
	}
	return f.Function
}

// TestKept checks that a circuit comes back from disk as it was found, and is found again if the file is damaged,
// cut short, or of something else.
func TestKept(t *testing.T) {
	f, dir := largeFunction(t), t.TempDir()
	cache := diskcache.New(dir, ".circuit", keptMost)
	finds := 0
	find := func() *Circuit {
		finds++
		return found(f)
	}
	want := keptOr(cache, f, find)
	files, err := filepath.Glob(filepath.Join(dir, "*.circuit"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files are kept (%v), want 1", len(files), err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	again := func(what string, finding bool) {
		t.Helper()
		finds = 0
		if diff := cmp.Diff(want, keptOr(cache, f, find), cmp.AllowUnexported(Parity{})); diff != "" {
			t.Errorf("%s: another circuit: %s", what, diff)
		}
		if (finds == 1) != finding {
			t.Errorf("%s: found %d times", what, finds)
		}
	}
	again("whole", false)
	spoil := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(files[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		again(what, true)
		again(what+", mended", false)
	}
	spoil("empty", nil)
	spoil("cut short", whole[:len(whole)/2])
	spoil("without the last byte", whole[:len(whole)-1])
	for _, at := range []int{0, 40, len(whole) / 2, len(whole) - 1} {
		damaged := append([]byte{}, whole...)
		damaged[at] ^= 0x10
		spoil("damaged", damaged)
	}
	// Files that are whole, and no circuits.
	digest := f.Digest()
	key := diskcache.KeyOf(diskcache.Program(), string(digest[:]))
	for _, data := range [][]byte{
		{1},
		[]byte("something else, and long enough"), append(encoded(want), 0),
		encoded(want)[1:],
	} {
		cache.Put(key, data)
		again("no circuit", true)
	}
}

// A circuit that would be too large is not looked for again.
func TestTooLargeIsKept(t *testing.T) {
	f, cache, finds := largeFunction(t), diskcache.New(t.TempDir(), ".circuit", keptMost), 0
	for range 2 {
		if c := keptOr(cache, f, func() *Circuit { finds++; return nil }); c != nil {
			t.Errorf("a circuit of %d nodes", len(c.Nodes))
		}
	}
	if finds != 1 {
		t.Errorf("looked for %d times", finds)
	}
}

// FuzzDecoded checks that a decoded circuit refers only to cells of the block and to earlier nodes.
func FuzzDecoded(f *testing.F) {
	f.Add([]byte{4, 0x96, 0, 0, 0, 1, 2, 0, 1, 0, 0, 2, 0, 0, 2, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		c, ok := decoded(data, 4)
		if !ok || c == nil {
			return
		}
		for i, n := range c.Nodes {
			for _, tap := range n.In {
				if n.Kind == Table && (tap.Node >= i || max(tap.DX, -tap.DX, tap.DY, -tap.DY) > 1) {
					t.Fatalf("node %d takes %v", i, tap)
				}
			}
		}
		c.Eval(func(int, int, int) bool { return true }, 0, 0, 0)
	})
}
