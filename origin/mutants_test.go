//go:build linux

package origin_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/gosper-life/gosper"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/host"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Mutants are files and texts of every kind that Gosper reads, with some bytes, numbers or lines changed. None may end
// the program, take more than mutantMemory, or more than mutantTime of the clock and of the processors. A busy machine
// gives the process only some of the time of the clock.
const (
	mutantMemory = 2 << 30
	mutantTime   = 10 * time.Second
	reserved     = 3 << 29 // addresses that the Go runtime and threads reserve beside that memory

	mutantsOf   = "GOSPER_MUTANTS"      // how many; few without it
	mutantsFrom = "GOSPER_MUTANTS_FROM" // the first one; the process is the one that reads them
)

// kind is a kind of files or texts.
type kind struct {
	name    string // of files
	samples [][]byte
	read    func(ctx context.Context, dir, name string, mutant []byte) error
}

// TestMutants reads mutants in a process of its own, whose memory is limited.
func TestMutants(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 60
	}
	if text := os.Getenv(mutantsOf); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	if from := os.Getenv(mutantsFrom); from != "" {
		first, err := strconv.Atoi(from)
		if err != nil {
			t.Fatal(err)
		}
		readMutants(t, first, n)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	limit := strconv.Itoa((mutantMemory + reserved) >> 10)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -v "$0"; exec "$@"`, limit,
		self, "-test.run=^TestMutants$", "-test.v")
	cmd.Env = append(os.Environ(), mutantsFrom+"=0", mutantsOf+"="+strconv.Itoa(n), "MALLOC_ARENA_MAX=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestMutants")) {
		at := max(0, bytes.LastIndex(out, []byte("\nmutant ")))
		t.Errorf("%v: %.3000s", err, out[at:])
	}
}

// readMutants makes and reads mutants. They depend only on their numbers.
func readMutants(t *testing.T, first, n int) {
	kinds := kindsOf(t)
	dir := t.TempDir()
	read := 0
	for i := first; i < first+n; i++ {
		random := rand.New(rand.NewPCG(uint64(i), 1))
		k := &kinds[i%len(kinds)]
		mutant := mutated(random, k.samples)
		fmt.Printf("mutant %d: %s of %d bytes\n", i, k.name, len(mutant))
		ended := make(chan struct{})
		go watch(ended, func() {
			panic(fmt.Sprintf("mutant %d, %s, takes more than %v: %.200q", i, k.name, mutantTime, mutant))
		})
		ctx, cancel := context.WithTimeout(t.Context(), mutantTime/2)
		err := k.read(ctx, dir, k.name, mutant)
		cancel()
		close(ended)
		switch {
		case err == nil:
			read++
		case strings.ContainsAny(err.Error(), "\n\r"):
			t.Errorf("mutant %d, %s: %q is not a line", i, k.name, err)
		}
	}
	t.Logf("%d of %d mutants were read; the peak of memory is %d MiB", read, n, peak(t)>>20)
	if read < n/10 {
		t.Error("too few mutants were read: the others say little")
	}
	if most := peak(t); most > mutantMemory {
		t.Errorf("%d bytes of memory, want at most %d", most, mutantMemory)
	}
}

// watch calls late unless a mutant has ended after mutantTime of the clock and of the processors, or after two minutes.
func watch(ended <-chan struct{}, late func()) {
	begin, _ := host.CPUTime()
	ticker := time.NewTicker(mutantTime)
	defer ticker.Stop()
	for range 12 {
		select {
		case <-ended:
			return
		case <-ticker.C:
		}
		if now, _ := host.CPUTime(); now-begin >= mutantTime {
			break
		}
	}
	late()
}

// peak is the most memory that the process has had.
func peak(t *testing.T) (bytes uint64) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.ParseUint(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

var number = regexp.MustCompile(`[0-9]+`)

// extremes are numbers at which types and limits end.
var extremes = []string{
	"0", "1", "2", "-1", "9", "64", "255", "256", "257", "500", "4096", "65535", "65536",
	"1000000", "2147483647", "2147483648",
	"4294967296", "1152921504606846976", "9223372036854775807", "18446744073709551615", "99999999999999999999", "1e300",
}

// mutated changes a sample in one to three places.
func mutated(random *rand.Rand, samples [][]byte) []byte {
	b := slices.Clone(samples[random.IntN(len(samples))])
	for range 1 + random.IntN(3) {
		if len(b) == 0 {
			return b
		}
		at := random.IntN(len(b))
		end := min(len(b), at+1+random.IntN(1+min(len(b), 200)))
		switch random.IntN(9) {
		case 0:
			b[at] = byte(random.IntN(256))
		case 1:
			b[at] ^= 1 << random.IntN(8)
		case 2:
			b = slices.Delete(b, at, end)
		case 3:
			b = b[:at]
		case 4:
			b = slices.Insert(b, at, bytes.Repeat(b[at:end:end], 1+random.IntN(50))...)
		case 5:
			other := samples[random.IntN(len(samples))]
			from := random.IntN(len(other) + 1)
			b = slices.Insert(b, at, other[from:min(len(other), from+random.IntN(300))]...)
		case 6, 7:
			if all := number.FindAllIndex(b, -1); len(all) > 0 {
				one := all[random.IntN(len(all))]
				b = slices.Replace(b, one[0], one[1], []byte(extremes[random.IntN(len(extremes))])...)
			}
		case 8: // a line in another place
			lines := bytes.SplitAfter(b, []byte("\n"))
			k := random.IntN(len(lines))
			b = bytes.Join(slices.Insert(slices.Clone(lines), random.IntN(len(lines)+1), lines[k]), nil)
		}
	}
	return b
}

// kindsOf makes samples of every kind.
func kindsOf(t *testing.T) []kind {
	t.Helper()
	var kinds []kind
	var patterns [][]byte // as RLE
	for _, name := range []string{"gosper-gun", "acorn", "lidka"} {
		known, ok := builtin.Lookup(name)
		if !ok {
			t.Fatal(name)
		}
		patterns = append(patterns, []byte(known.RLE))
	}
	patterns = append(patterns,
		[]byte("#CXRLE Pos=-5,7 Gen=9\nx = 9, y = 3, rule = WireWorld:T30,20\nA2B3C$.AB!\n"),
		[]byte("x = 4, y = 1, rule = 345/2/4\n.ABC!\n"),
		[]byte("x = 3, y = 1, rule = LargerThan\n3o!\n@RULE LargerThan\n"+table))
	kinds = append(kinds, kind{"p.rle", patterns, readPattern})
	for _, suffix := range []string{".mc", ".cells", ".lif", ".life", ".png", ".npy"} {
		k := kind{"p" + suffix, nil, readPattern}
		for _, text := range patterns[:5] {
			p, err := pattern.Read(bytes.NewReader(text), "")
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := pattern.WriteAs(t.Context(), &b, k.name, p.Cells, p.Meta()); err == nil { // some hold two states only
				k.samples = append(k.samples, b.Bytes())
			}
		}
		if len(k.samples) == 0 {
			t.Fatalf("no samples of %s", suffix)
		}
		if suffix == ".png" {
			k.read = func(ctx context.Context, dir, name string, mutant []byte) error {
				return readPattern(ctx, dir, name, summed(mutant))
			}
		}
		kinds = append(kinds, k)
	}
	texts := func(name string, read func(text string) error, samples ...string) {
		k := kind{name: name, read: func(_ context.Context, _, _ string, mutant []byte) error { return read(string(mutant)) }}
		for _, s := range samples {
			k.samples = append(k.samples, []byte(s))
		}
		kinds = append(kinds, k)
	}
	kinds = append(kinds,
		kind{"p.mcl", [][]byte{[]byte(mcell)}, readPattern},
		kind{"p.rle.gz", patterns, func(ctx context.Context, dir, name string, mutant []byte) error {
			return readPattern(ctx, dir, name, gzipped(mutant))
		}},
		kind{"q.rle.gz", [][]byte{gzipped(patterns[0]), gzipped(patterns[2])}, readPattern},
		kind{"p.zip", [][]byte{zipped(t, string(patterns[0]), table), zipped(t, string(patterns[5]), table)}, readPattern},
		kind{
			"r.zip",
			[][]byte{[]byte("@RULE Mutant\n" + table)},
			func(ctx context.Context, dir, name string, mutant []byte) error {
				return readPattern(ctx, dir, name, zipped(t, "x = 3, y = 1, rule = Mutant\n3o!\n", string(mutant)))
			},
		})
	rules := kind{"Mutant.rule", [][]byte{[]byte("@RULE Mutant\n" + table), []byte("@RULE Mutant\n" + chances)}, readRule}
	for _, name := range []string{"WireWorld", "Banks-I", "Byl-Loop", "Langtons-Loops", "Perrier"} {
		text, err := os.ReadFile(filepath.Join("..", "rule", "rulefile", "builtin", name+".rule"))
		if err != nil {
			t.Fatal(err)
		}
		rules.samples = append(rules.samples, text)
	}
	kinds = append(kinds, rules, rules,
		kind{"Mutant.table", [][]byte{[]byte(strings.TrimPrefix(table, "@TABLE\n"))}, readRule},
		kind{"Mutant.tree", [][]byte{[]byte(tree)}, readRule})
	texts("rule", readNotation,
		"B3/S23", "B3/S2-i34q", "B2/S34H", "345/2/4", "B2/S345/D1-2-1", "B2/S23/F0/K1/L2", "W22",
		"R5,C0,M1,S34..58,B34..45,NM", "R2,C2,S8,11-15,18-22,B4,9,13-15,18-21", "R1,C2,S2-3,B3,NW111101111",
		"r2b1e7108s3e7c80", "M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "B3/S23|B36/S23", "PN/0,0.25,0.5,0.75,1/0.2",
		"Q3N/0.37,0.14,0.05,0.02", "B3/S23~flip=0.001,async=0.5,seed=7", "Ising~T=2.3", "{{{1,2,0},{0,8,0}}}",
		"LangtonsAnt_LLRR", "Worm-1042", "B3/S23History:T30,20", "R3,C0,M0,S2..3,B3..3,N@abcdef",
		"1,0,0,0,0,15,15,0,0,0,0,0,15,15,0,0,0,0", "C48,NM,Sb255a,Babb189ab63a", "B45/S34L",
	)
	texts("topology", func(text string) error {
		_, err := topology.Parse(text)
		return err
	}, ":T30,20", ":K30*,20", ":T30+5,20", ":P300,0", ":C30,30", ":S30")
	texts("start", func(text string) error {
		_, err := soup.ParseStart(text)
		return err
	}, "exact~1=500", "shares~1=0.3,2=0.1", "gauss~length=8", "pattern~flip=0.01", "repeat~x=20,y=20", "bits~0=0.2,1=0.2")
	kinds = append(kinds, kind{"code", [][]byte{
		[]byte("xq4_153"), []byte("xp2_7"), []byte("xs31_0ca178b96z69d1d96"),
		[]byte("yl144_1_16_afb5f3db909e60548f086e22ee3353ac"),
	}, readCode})
	kinds = append(kinds,
		kind{"s.toml", [][]byte{[]byte(specTOML)}, readSpec}, kind{"s.json", [][]byte{[]byte(specJSON)}, readSpec})
	kinds = append(kinds, kind{"c.ckpt", [][]byte{saved(t, "B3/S23"), saved(t, "WireWorld")}, readCheckpoint})
	return kinds
}

const (
	table = `@TABLE
n_states:4
neighborhood:Moore
symmetries:rotate8
var a={0,1,2,3}
var b={a}
var c={1,2}
var d=a
var e=a
0,c,c,a,b,d,0,0,e,1
1,a,b,c,d,e,3,3,3,2
2,0,0,0,0,0,0,0,0,3
@NAMES
1 one
@COLORS
0 0 255 255 0 0
@ICONS
XPM
"2 4 3 2"
".. c #000000"
"AB c #FF8000"
"c! c #123456"
"..AB"
"c!.."
"ABAB"
"ABc!"
`
	tree     = "num_states=2\nnum_neighbors=4\nnum_nodes=6\n1 0 1\n1 1 0\n2 0 1\n3 2 2\n4 3 3\n5 4 4\n"
	mcell    = "#MCell 4.00\n#GAME Life\n#RULE 23/3\n#BOARD 40x30\n#WRAP 1\n#D words\n#L .A$2.3A$\n#L $3A\n"
	specTOML = `rules = ["B3/S23", "Ising~T=2.1..2.4/0.05", "B3/S23..B36/S235"]
sizes = ["64", "100x63", "T30+5,20"]
densities = [0.25, "0.3..0.5/0.1"]
universes = 1000
generations = 2000
every = 50
times = [1, 2, 5]
measures = ["activity", "entropy", "clusters"]
start = ["cell", "exact~1=100..500/100"]
dump = "0,1000..2000/100"
`
	specJSON = `{"rules": ["B3/S23"], "sizes": ["64"], "universes": 100, "generations": 10, "every": 2,
"count": ["glider", "xs4_33"], "measures": ["patterns"], "densities": ["0.1..0.9/0.1"], "dump": "0..10/2",
"dump_universes": "0..9"}`
)

const chances = "@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:rotate4reflect\nvar a={0,1,2}\nvar b=a\n" +
	"0,1,a,b,a,1~0.5\n0,a,1,b,b,2~0.25\n1,a,a,b,b,0~0.125\n"

// summed gives the chunks of a PNG file their sums, so that more than the sums is read.
func summed(file []byte) []byte {
	const start, around = 8, 12 // bytes of the signature, and of a chunk's length, name and sum
	for at := start; at+around <= len(file); {
		n := int(binary.BigEndian.Uint32(file[at:]))
		if at+around+n > len(file) {
			break
		}
		binary.BigEndian.PutUint32(file[at+8+n:], crc32.ChecksumIEEE(file[at+4:at+8+n]))
		at += around + n
	}
	return file
}

func gzipped(text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(text)
	z.Close()
	return b.Bytes()
}

func zipped(t *testing.T, cells, rules string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, entry := range [][2]string{{"a/p.rle", cells}, {"Mutant.rule", rules}} {
		w, err := z.Create(entry[0])
		if err == nil {
			_, err = w.Write([]byte(entry[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// largest is the area of universes that are opened. The memory of a larger universe is known before it is opened.
const largest = 1 << 22

// readPattern opens a pattern, writes it in two formats, and runs it for a generation.
func readPattern(ctx context.Context, dir, name string, mutant []byte) error {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, mutant, 0o666); err != nil {
		return err
	}
	p, err := origin.OpenPattern(ctx, path, pattern.Options{Squares: true, MaxBytes: mutantMemory / 4})
	if err != nil {
		return err
	}
	cells, err := p.Source()
	if err != nil {
		return err
	}
	for _, as := range []string{"as.mc", "as.rle"} {
		if err := pattern.WriteAs(ctx, &sink{room: 64 << 20}, as, cells, p.Meta()); err != nil {
			return err
		}
	}
	return run(ctx, path)
}

// sink takes a limited number of bytes.
type sink struct{ room int }

func (s *sink) Write(b []byte) (int, error) {
	if s.room -= len(b); s.room < 0 {
		return 0, errors.New("too long")
	}
	return len(b), nil
}

func run(ctx context.Context, name string) error {
	u, err := (&origin.Flags{Pattern: name, Reading: mutantMemory / 4, Clip: true}).Origin(ctx, nil)
	if err != nil {
		return err
	}
	return step(ctx, u.Config, func(e sim.Engine) error { return u.Load(ctx, e, nil) })
}

// step opens a universe and runs it for a generation, if it is not large.
func step(ctx context.Context, cfg sim.Config, load func(e sim.Engine) error) error {
	if t := cfg.Topology; max(t.W, 1)*max(t.H, 1) > largest || max(t.W, t.H) > largest {
		return nil
	}
	cfg.Threads, cfg.Memory = 1, mutantMemory/4
	e, err := sim.Open(ctx, sim.Auto, cfg)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := load(e); err != nil {
		return err
	}
	_, err = e.Step(ctx, 1)
	return err
}

func readRule(ctx context.Context, _, name string, mutant []byte) error {
	f, err := rulefile.Limits{Context: ctx, Edges: 1 << 20}.Parse(name, mutant)
	if err != nil {
		return err
	}
	f.Name = "Mutant-File" // in place of the mutant's own name
	rulefile.Add(f)
	return readRuleOf(ctx, f.Name)
}

func readNotation(text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), mutantTime/2)
	defer cancel()
	return readRuleOf(ctx, text)
}

func readRuleOf(ctx context.Context, text string) error {
	r, suffix, err := rule.ParseApart(text)
	if err != nil {
		return err
	}
	if suffix == nil {
		suffix = &topology.Topology{Kind: topology.Torus, W: 64, H: 64}
	}
	if r.Radius() > 50 { // its code takes seconds to make
		return nil
	}
	return step(ctx, sim.Config{Rule: r, Topology: *suffix}, func(sim.Engine) error { return nil })
}

func readCode(ctx context.Context, _, _ string, mutant []byte) error {
	name := string(mutant)
	if strings.ContainsAny(name, "/\x00") || name == "" {
		return errors.New("not a code")
	}
	return run(ctx, name)
}

func readSpec(_ context.Context, _, name string, mutant []byte) error {
	spec, err := ensemble.Parse(name, mutant)
	if err != nil {
		return err
	}
	_, err = spec.Check()
	return err
}

// saved is a checkpoint without the hash at its end.
func saved(t *testing.T, name string) []byte {
	t.Helper()
	r, err := rule.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	torus := topology.Topology{Kind: topology.Torus, W: 30, H: 20}
	e, err := sim.Open(t.Context(), sim.Auto, sim.Config{Rule: r, Topology: torus, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.WriteRow([]uint64{0b1011}, 0, 2, 1, 4); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := checkpoint.Encode(&b, checkpoint.Header{Rule: name, Topology: "T30,20"}, e); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()[:b.Len()-sha256.Size]
}

func readCheckpoint(ctx context.Context, _, _ string, mutant []byte) error {
	sum := sha256.Sum256(mutant)
	whole := append(mutant, sum[:]...)
	f, err := checkpoint.Read(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		return err
	}
	return step(ctx, f.Config(), f.Restore)
}
