package checkpoint_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
	"github.com/gosper-life/gosper/sim/hashlife"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

func mustOpen(t testing.TB, notation, suffix string) sim.Engine {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	top, err := topology.Parse(suffix)
	if err != nil {
		t.Fatal(err)
	}
	e, err := reference.Open(context.Background(), sim.Config{Rule: r, Topology: top})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// scatter makes random cells in states 0 and 1 around the origin, and steps the engine so that others appear.
func scatter(t testing.TB, e sim.Engine) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for y := -20; y < 40; y++ {
		grid.InMemory(e.WriteRow([]uint64{random.Uint64() & random.Uint64(), random.Uint64()}, 0, -50, y, 100))
	}
	if _, err := e.Step(context.Background(), 4); err != nil {
		t.Fatal(err)
	}
}

func encode(t testing.TB, h checkpoint.Header, src grid.Source) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := checkpoint.Encode(&b, h, src); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// mustWrite writes one checkpoint.
func mustWrite(t testing.TB, path string, h checkpoint.Header, src grid.Source) {
	t.Helper()
	claim, err := checkpoint.Hold(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Release()
	if err := checkpoint.Write(claim, h, src); err != nil {
		t.Fatal(err)
	}
}

func read(data []byte) (*checkpoint.File, error) {
	return checkpoint.Read(bytes.NewReader(data), int64(len(data)))
}

func mustHash(t *testing.T, src grid.Source, states int) [sha256.Size]byte {
	t.Helper()
	hash, err := grid.StateHash(context.Background(), src, states, true)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct{ rule, topology string }{
		{"B3/S23", "T130,70"},
		{"B3/S23", "P1,1"},
		{"B3/S23", "K63*,9"},
		{"345/2/7", "T65,33"},
		{"B3/S23", "T0"},
		{"12/34/5", "T0"},
		{"B0123478/S01234678", "T0"},
		{"B02/S", "T0"},
		{"B3/S23", "T40,0"},
		{"R3,C0,M1,S14..23,B14..18,NM", "S41"},
		{"3D4,5/5", "T33,12,10"},
		{"4/4/5/M", "P40,9,7"},
	} {
		path := filepath.Join(dir, fmt.Sprint(i))
		before := mustOpen(t, c.rule, c.topology)
		scatter(t, before)
		before.SetGeneration(1 << 53)
		facts := map[string]string{"seed": "7", "density": "0.5"}
		h := checkpoint.Header{
			Rule: c.rule, Topology: c.topology, Generation: before.Generation(), Target: 1<<64 - 1, Facts: facts,
			Name: "a name", Author: "Ö. Author", Comments: []string{"one", "", " two <&>"},
		}
		mustWrite(t, path, h, before)
		f, err := checkpoint.Open(path)
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		if f.Header.Generation != h.Generation || f.Header.Target != h.Target || f.Header.Facts["density"] != "0.5" ||
			f.Header.Name != h.Name || f.Header.Author != h.Author || !slices.Equal(f.Header.Comments, h.Comments) ||
			f.Header.Population != gridtest.Population(t, before) || f.Config().Topology.String() != c.topology {
			t.Errorf("%v: header became %+v", c, f.Header)
		}
		after := mustOpen(t, f.Header.Rule, f.Header.Topology)
		if err := f.Restore(after); err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if after.Generation() != h.Generation || mustHash(t, after, f.Header.States) != mustHash(t, before, f.Header.States) {
			t.Errorf("%v: cells or generation changed", c)
		}
	}
}

// TestPeek: the header can be read without the cells, and a file that is not a checkpoint is refused.
func TestPeek(t *testing.T) {
	e := mustOpen(t, "B3/S23", "T64,64")
	scatter(t, e)
	h := checkpoint.Header{
		Rule: "B3/S23", Topology: "T64,64", Generation: 4, Target: 9,
		Facts: map[string]string{"seed": "7"},
	}
	whole := encode(t, h, e)
	at := func(content []byte) string {
		path := filepath.Join(t.TempDir(), "run.ckpt")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	n := 16 + int(binary.LittleEndian.Uint32(whole[12:]))
	for _, content := range [][]byte{whole, whole[:n]} { // a missing checksum is not noticed
		var got checkpoint.Header
		if err := got.Peek(at(content)); err != nil || got.Generation != 4 || got.Target != 9 || got.Facts["seed"] != "7" ||
			got.Population == 0 {
			t.Errorf("%d bytes: %+v, %v", len(content), got, err)
		}
	}
	large := slices.Clone(whole)
	binary.LittleEndian.PutUint32(large[12:], 1<<31)
	newer := slices.Clone(whole)
	newer[8] = 200
	for why, content := range map[string][]byte{
		"not a gosper checkpoint": []byte("x = 3, y = 3\n3o!\n and more"), "version 200": newer, "does not fit": large,
		"header": whole[:n-3],
	} {
		if err := new(checkpoint.Header).Peek(at(content)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s", err, why)
		}
	}
	for _, path := range []string{at(nil), at(whole[:9]), t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if err := new(checkpoint.Header).Peek(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestOldFilesAreRead reads files of the first version as it was before headers had names, authors and comments.
func TestOldFilesAreRead(t *testing.T) {
	for name, want := range map[string]checkpoint.Header{
		"version1-torus.ckpt": {Rule: "/2/3", Topology: "T40,24", Generation: 5, Target: 5, Population: 35},
		"version1-plane.ckpt": {Rule: "B3/S23", Topology: "T0", Generation: 30, Target: 30, Population: 5},
	} {
		f, err := checkpoint.Open(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		h := f.Header
		if h.Rule != want.Rule || h.Topology != want.Topology || h.Generation != want.Generation || h.Target != want.Target ||
			h.Population != want.Population || h.Facts["repeat"] == "" || h.Comments != nil {
			t.Errorf("%s: header %+v, want %+v", name, h, want)
		}
		if err := f.Restore(mustOpen(t, h.Rule, h.Topology)); err != nil { // it checks the cells, by number or hash
			t.Errorf("%s: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Two blocks 2^50 cells apart take two tiles.
func TestFarApartIsSmall(t *testing.T) {
	tiles, err := grid.NewTiles(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{-1 << 49, 1 << 49} {
		for dy := range 2 {
			grid.InMemory(tiles.WriteRow([]uint64{0b11}, 0, at, at+dy, 2))
		}
	}
	data := encode(t, checkpoint.Header{Rule: "B3/S23", Topology: "T0"}, tiles)
	if len(data) > 20_000 {
		t.Errorf("%d bytes", len(data))
	}
	f, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	e := mustOpen(t, "B3/S23", "T0")
	if err := f.Restore(e); err != nil {
		t.Fatal(err)
	}
	if gridtest.Population(t, e) != 8 || gridtest.Extent(t, e) != tiles.Bounds() {
		t.Errorf("%d cells in %v, want 8 in %v", gridtest.Population(t, e), gridtest.Extent(t, e), tiles.Bounds())
	}
}

// A bounded universe of 2^40 cells is kept as the areas that have cells. Engines that do not tell where their cells are
// keep one area.
func TestVastBoundedUniverseIsSmall(t *testing.T) {
	tiles, err := grid.NewTiles(1)
	if err != nil {
		t.Fatal(err)
	}
	const side = 1 << 20
	for _, at := range []int{0, side - 2} {
		for dy := range 2 {
			grid.InMemory(tiles.WriteRow([]uint64{0b11}, 0, at, at+dy, 2))
		}
	}
	src := grid.Part{Source: tiles, Bounds: grid.Rect{W: side, H: side}}
	data := encode(t, checkpoint.Header{Rule: "B3/S23", Topology: fmt.Sprintf("P%d,%[1]d", side)}, src)
	if len(data) > 20_000 {
		t.Errorf("%d bytes", len(data))
	}
	f, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	e, err := sim.Open(t.Context(), hashlife.Name, f.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := f.Restore(e); err != nil {
		t.Fatal(err)
	}
	if x, y, differ := gridtest.Difference(t, e, src); differ {
		t.Errorf("the cell %d,%d differs", x, y)
	}
}

func TestEveryFlippedBitAndCutIsFound(t *testing.T) {
	e := mustOpen(t, "345/2/7", "T13,5")
	scatter(t, e)
	data := encode(t, checkpoint.Header{Rule: "345/2/7", Topology: "T13,5", Generation: 4, Target: 9}, e)
	if _, err := read(data); err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(data) {
		flipped := slices.Clone(data)
		flipped[i/8] ^= 1 << (i % 8)
		if _, err := read(flipped); err == nil {
			t.Fatalf("bit %d of byte %d can be flipped unseen", i%8, i/8)
		}
	}
	for n := range data {
		if _, err := read(data[:n]); err == nil {
			t.Fatalf("the first %d bytes of %d are taken for all", n, len(data))
		}
	}
	if _, err := read(append(slices.Clone(data), 0)); err == nil {
		t.Fatal("a byte more is not noticed")
	}
}

// seal corrects the checksum, so that a test reaches the checks that come after it.
func seal(data []byte) []byte {
	body := data[:len(data)-sha256.Size]
	sum := sha256.Sum256(body)
	return append(slices.Clone(body), sum[:]...)
}

func TestRefusals(t *testing.T) {
	e := mustOpen(t, "345/2/7", "T13,5")
	scatter(t, e)
	good := encode(t, checkpoint.Header{Rule: "345/2/7", Topology: "T13,5", Generation: 4, Target: 9}, e)
	headerBytes := int(binary.LittleEndian.Uint32(good[12:]))
	cells := 16 + headerBytes
	edit := func(change func(d []byte) []byte) []byte { return seal(change(slices.Clone(good))) }
	replace := func(was, is string) []byte {
		return edit(func(d []byte) []byte {
			if len(was) != len(is) || !bytes.Contains(d[:cells], []byte(was)) {
				t.Fatalf("cannot replace %q by %q in %q", was, is, d[16:cells])
			}
			return append(bytes.Replace(d[:cells:cells], []byte(was), []byte(is), 1), d[cells:]...)
		})
	}
	put := func(at int, v uint64) []byte {
		return edit(func(d []byte) []byte { binary.LittleEndian.PutUint64(d[at:], v); return d })
	}
	for want, data := range map[string][]byte{
		"checkpoint format version 9 is not supported, this gosper reads 1": func() []byte {
			d := slices.Clone(good)
			d[8] = 9
			return d
		}(),
		"not a gosper checkpoint": append([]byte("GOSPERCQ"), good[8:]...),
		"checkpoint is damaged: its checksum does not match": func() []byte {
			d := slices.Clone(good)
			d[cells+40] ^= 4
			return d
		}(),
		"does not fit":                     edit(func(d []byte) []byte { d[14] = 200; return d }),
		"6 states, but rule 345/2/7 has 7": replace(`"states":7`, `"states":6`),
		"checkpoint header":                replace(`"rule"`, `"rule`+"\n"),
		"rule":                             replace("345/2/7", "345/x/7"),
		"topology":                         replace("T13,5", "Q13,5"),
		"do not fit":                       replace("T13,5", "T13,6"),
		"beyond its target":                replace(`"target":9`, `"target":3`),
		"not in the universe":              put(cells+16, 12),
		"too many":                         edit(func(d []byte) []byte { return slices.Insert(d, len(d)-32, 0) }),
		"not closed":                       edit(func(d []byte) []byte { return slices.Delete(d, len(d)-33, len(d)-32) }),
		"want 1":                           edit(func(d []byte) []byte { return slices.Delete(d, cells, len(d)-64) }),
		"cut off":                          edit(func(d []byte) []byte { return slices.Delete(d, cells+32, len(d)-40) }),
	} {
		if _, err := read(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that says %q", err, want)
		}
	}

	// What only the cells can tell is found on loading.
	for want, data := range map[string][]byte{
		"a state above 6": edit(func(d []byte) []byte {
			d[cells+32], d[cells+34], d[cells+36] = 255, 255, 255
			return d
		}),
		"cells beyond its end": edit(func(d []byte) []byte { d[cells+33] |= 0x80; return d }),
		"checkpoint has state hash": edit(func(d []byte) []byte {
			row := d[cells+32:]
			row[0], row[6] = row[6], row[0] // of plane 0 in rows 0 and 1
			row[1], row[7] = row[7], row[1]
			row[2], row[8] = row[8], row[2]
			row[3], row[9] = row[9], row[3]
			row[4], row[10] = row[10], row[4]
			row[5], row[11] = row[11], row[5]
			return d
		}),
		"but the engine loaded": edit(func(d []byte) []byte { clear(d[cells+32 : cells+38]); return d }),
	} {
		f, err := read(data)
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if err := f.Restore(mustOpen(t, "345/2/7", "T13,5")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that says %q", err, want)
		}
	}
}

// TestAnotherRuleOfTheSameName checks that a run goes on only under the table that it began with.
func TestAnotherRuleOfTheSameName(t *testing.T) {
	const name = "Checkpoint-Test"
	table := func(transition string) {
		t.Helper()
		text := "@RULE " + name + "\n@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:rotate4\n" + transition + "\n"
		f, err := rulefile.Limits{}.Parse(name+".rule", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		rulefile.Add(f)
	}
	table("0,1,0,0,0,2")
	e := mustOpen(t, name, "T8,8")
	scatter(t, e)
	data := encode(t, checkpoint.Header{Rule: name, Topology: "T8,8"}, e)
	table("0,1,0,0,0,2\n0,1,0,0,0,1 # says nothing new")
	if _, err := read(data); err != nil {
		t.Errorf("the same rule in other words: %v", err)
	}
	table("0,1,0,0,0,1")
	if _, err := read(data); err == nil || !strings.Contains(err.Error(),
		"says something else than when the checkpoint was written") || strings.Contains(err.Error(), "\n") {
		t.Errorf("another rule of the same name: %v", err)
	}
}

func TestForeignFileIsNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "glider.rle")
	if err := os.WriteFile(path, []byte("bo$2bo$3o!"), 0o666); err != nil {
		t.Fatal(err)
	}
	for replace, want := range map[bool]string{true: "not a gosper checkpoint", false: "already exists"} {
		if _, err := checkpoint.Hold(path, replace); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("replace %v: got %v", replace, err)
		}
	}
	if text, _ := os.ReadFile(path); string(text) != "bo$2bo$3o!" {
		t.Errorf("the file now holds %q", text)
	}
}

// brokenWriter fails after a number of bytes, like a full disk.
type brokenWriter struct {
	w    io.Writer
	left int
}

var errFull = errors.New("no space left on device")

func (b *brokenWriter) Write(p []byte) (int, error) {
	if len(p) > b.left {
		n, _ := b.w.Write(p[:b.left])
		b.left = 0
		return n, errFull
	}
	b.left -= len(p)
	return b.w.Write(p)
}

func TestOldCheckpointSurvivesWriteFaults(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.gcp")
	e := mustOpen(t, "B3/S23", "T130,70")
	scatter(t, e)
	h := checkpoint.Header{Rule: "B3/S23", Topology: "T130,70", Generation: 4, Target: 1000}
	mustWrite(t, path, h, e)
	size := len(encode(t, h, e))
	h.Generation = 5
	for _, n := range []int{0, 1, 15, 16, 100, size / 2, size - 33, size - 32, size - 1} {
		err := atomicfile.Write(path, true, func(w io.Writer) error { return checkpoint.Encode(&brokenWriter{w, n}, h, e) })
		if !errors.Is(err, errFull) {
			t.Errorf("after %d of %d bytes: got %v", n, size, err)
		}
		f, err := checkpoint.Open(path)
		if err != nil || f.Header.Generation != 4 {
			t.Fatalf("after %d of %d bytes the old checkpoint is gone: %v", n, size, err)
		}
		f.Close()
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// writerVariable makes the test binary write checkpoints until it is killed.
const writerVariable = "GOSPER_TEST_CHECKPOINT"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerVariable); path != "" {
		writeForever(path)
	}
	os.Exit(m.Run())
}

func writeForever(path string) {
	cells, err := grid.New(512, 512, 1)
	if err != nil {
		panic(err)
	}
	claim, err := checkpoint.Hold(path, true)
	for g := uint64(0); err == nil; g++ {
		grid.InMemory(cells.WriteRow([]uint64{g}, 0, 0, 0, 64)) // the generation is in the cells too
		err = checkpoint.Write(claim, checkpoint.Header{Rule: "B3/S23", Topology: "T512,512", Generation: g, Target: 1 << 62},
			cells)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestKilledWriterLeavesAWholeCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.gcp")
	for i := range 5 {
		writer := exec.Command(os.Args[0])
		writer.Env = append(os.Environ(), writerVariable+"="+path)
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(path); err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("no checkpoint was written")
			}
		}
		time.Sleep(time.Duration(3+7*i) * time.Millisecond)
		if err := writer.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		writer.Wait()
		f, err := checkpoint.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		e := mustOpen(t, "B3/S23", "T512,512")
		if err := f.Restore(e); err != nil {
			t.Fatal(err)
		}
		f.Close()
		var word [1]uint64
		grid.InMemory(e.ReadRow(word[:], 0, 0, 0, 64))
		if word[0] != f.Header.Generation {
			t.Errorf("cells of generation %d in a checkpoint of %d", word[0], f.Header.Generation)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range []struct{ rule, topology string }{
		{"B3/S23", "T9,3"},
		{"345/2/7", "T13,5"},
		{"B3/S23", "T0"},
		{"B3/S23", "T40,0"},
	} {
		e := mustOpen(f, c.rule, c.topology)
		grid.InMemory(e.WriteRow([]uint64{0b1011}, 0, 2, 1, 4))
		f.Add(encode(f, checkpoint.Header{Rule: c.rule, Topology: c.topology}, e))
	}
	tree := openHashed(f, "B3/S23")
	grid.InMemory(tree.WriteRow([]uint64{0b1011}, 0, 2, 1, 4))
	f.Add(encode(f, checkpoint.Header{Rule: "B3/S23", Topology: "T0"}, tree))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < sha256.Size {
			return
		}
		c, err := read(seal(data))
		if err != nil {
			return
		}
		if top := c.Config().Topology; grid.Product(uint64(top.W), uint64(top.H)) > 1<<20 || c.Config().Rule.Radius() > 20 {
			return
		}
		if _, drawn := c.Tree(); drawn > 1<<20 {
			return
		}
		e, err := reference.Open(t.Context(), c.Config())
		if err != nil {
			return
		}
		if err := c.Restore(e); err != nil {
			return
		}
		again, err := read(encode(t, c.Header, e))
		verified := data[8] == checkpoint.Version || c.Config().Topology.Bounded()
		if err != nil || verified && again.Header.StateHash != c.Header.StateHash {
			t.Errorf("a checkpoint that could be restored cannot be written again: %v", err)
		}
	})
}
