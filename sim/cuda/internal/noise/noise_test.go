package noise

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/rule/chance"
)

// probability is a number of 2^-32.
func probability(p float64) chance.Probability { return chance.Probability(p * random.One) }

// chances are the random bits of one use, for probabilities from the smallest on.
func chances(below ...float64) []circuit.Chance {
	var list []circuit.Chance
	for _, p := range below {
		list = append(list, circuit.Chance{
			Use: chance.UseFlip, Below: probability(p),
			Most: probability(below[len(below)-1]),
		})
	}
	return list
}

// cases are probabilities of a use: rare and frequent, of few levels and many, alone and several.
var cases = [][]float64{
	{0.0001},
	{0.001},
	{0.002, 0.03},
	{0.01},
	{0.1},
	{0.5},
	{0.0294287768, 0.171548176},
	{0.001, 0.3, 0.75},
}

// memory takes the memory of the planes of a draw.
func memory(dev *gpu.Device, planes, width, rows int, seeds ...uint64) (at Place, free func(), err error) {
	at = Place{Stride: (width + 31) / 32 * 4, Rows: rows, Width: width, Tall: rows, Universes: len(seeds)}
	at.Plane = uint64(at.Stride) * uint64(rows)
	at.Each = at.Plane * uint64(planes)
	free = func() { dev.Free(at.Base, at.Seeds) }
	if at.Base, err = dev.Alloc(at.Each * uint64(len(seeds))); err != nil {
		return at, free, err
	}
	if at.Seeds, err = dev.Alloc(8 * uint64(len(seeds))); err != nil {
		return at, free, err
	}
	return at, free, dev.Write(at.Seeds, gpu.Bytes(seeds))
}

// Every bit is the one that package random defines.
func TestDraw(t *testing.T) {
	devs, err := new(gputest.Driver).Open(1)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, devs[0], 200, 5)
	compare(t, devs[0], 4500, 2)
}

func TestGPUDraw(t *testing.T) {
	dev := open(t)
	compare(t, dev, 200, 50)
	compare(t, dev, 9000, 30)
}

func compare(t *testing.T, dev *gpu.Device, width, rows int) {
	t.Helper()
	err := dev.Do(func() error {
		for i, below := range slices.Concat(cases, cases) {
			list := chances(below...)
			words := []int{1, 2, 4}[i%3]
			if words > MostWords(list) {
				continue
			}
			s, err := New(dev, list, words)
			if err != nil {
				return err
			}
			defer s.Free()
			seeds := []uint64{uint64(i), 1<<63 + 12345}
			at, free, err := memory(dev, s.Planes(), (width+127)&^127, rows, seeds...)
			defer free()
			if err != nil {
				return err
			}
			at.Width = width
			for _, generation := range []uint64{7, 1 << 40} {
				if err := s.Make(at, generation); err != nil {
					return err
				}
				bits := make([]uint32, int(at.Each)*len(seeds)/4)
				if err := dev.Read(gpu.Bytes(bits), at.Base); err != nil {
					return err
				}
				for u, seed := range seeds {
					for k, c := range list {
						for y := range rows {
							for x := range width {
								word := (u*int(at.Each)+k*int(at.Plane)+y*at.Stride)/4 + x/(32*words)*words + x%words
								if is := bits[word]>>(x/words%32)&1 == 1; is != c.At(seed, x, y, generation) {
									return fmt.Errorf("%v: column %d of row %d of plane %d is %v", below, x, y, k, is)
								}
							}
						}
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Where NVIDIA's assembler is installed it takes the kernels, and spills no registers.
func TestDrawAssembles(t *testing.T) {
	ptxas, err := exec.LookPath("ptxas")
	if err != nil {
		t.Skip("no ptxas")
	}
	for _, below := range cases {
		var m ptx.Module
		for i, d := range drawsOf(chances(below...)) {
			write(&m, fmt.Sprintf("draw%d", i), d, MostWords(chances(below...)))
		}
		text := filepath.Join(t.TempDir(), "draw.ptx")
		if err := os.WriteFile(text, []byte(m.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(ptxas, "-v", "-arch=sm_90", "-o", text+".cubin", text).CombinedOutput()
		if err != nil || !regexp.MustCompile(`\b0 bytes spill stores`).Match(out) {
			t.Errorf("%v: %v: %s", below, err, out)
		}
		t.Logf("%v: %s", below, regexp.MustCompile(`Used [0-9]+ registers`).Find(out))
	}
}

// open opens the first GPU, or skips the test.
func open(tb testing.TB) *gpu.Device {
	tb.Helper()
	dev, err := gpu.Open(0)
	if errors.As(err, new(*gpu.Unavailable)) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { gpu.CloseAll([]*gpu.Device{dev}) })
	return dev
}

// BenchmarkDraw makes the random bits of a generation of 65536².
func BenchmarkDraw(b *testing.B) {
	dev := open(b)
	const side = 1 << 16
	for _, below := range cases {
		b.Run(fmt.Sprint(below), func(b *testing.B) {
			err := dev.Do(func() error {
				list := chances(below...)
				s, err := New(dev, list, min(2, MostWords(list)))
				if err != nil {
					return err
				}
				defer s.Free()
				at, free, err := memory(dev, s.Planes(), side, side, 1)
				defer free()
				if err != nil {
					return err
				}
				generation := uint64(0)
				for b.Loop() {
					for range 10 {
						if err := s.Make(at, generation); err != nil {
							return err
						}
						generation++
					}
					if err := dev.Wait(); err != nil {
						return err
					}
				}
				b.ReportMetric(10*side*side*float64(b.N)/b.Elapsed().Seconds(), "cells/s")
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
