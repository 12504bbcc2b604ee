package run

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// rowsOf reads a series: its rows of numbers, -1 for an empty field.
func rowsOf(t *testing.T, path string) [][]int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(records[0], ","); got != seriesHeader(false) {
		t.Fatalf("header %q", got)
	}
	var rows [][]int
	for _, record := range records[1:] {
		row := make([]int, len(record))
		for i, field := range record {
			if row[i] = -1; field != "" {
				if row[i], err = strconv.Atoi(field); err != nil {
					t.Fatal(err)
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// TestSeries compares a series of every generation with one of every tenth, and both with what must hold of
// births and deaths.
func TestSeries(t *testing.T) {
	universes := map[string][]string{
		"torus":       {"--size", "130x70", "--seed", "2"},
		"generations": {"--rule", "brians-brain", "--size", "70", "--seed", "2"},
		"unbounded":   {"rpentomino"},
		"reference":   {"rpentomino", "--engine", "reference"},
		"sphere":      {"--rule", "highlife", "--size", "41", "--topology", "sphere", "--seed", "2"},
	}
	for name, flags := range universes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			clitest.RunJSON(t, dir, append([]string{"-g", "60", "--series", "each.csv", "--every", "1"}, flags...)...)
			clitest.RunJSON(t, dir, append([]string{"-g", "65", "--series", "tenth.csv", "--every", "10"}, flags...)...)
			each, tenth := rowsOf(t, filepath.Join(dir, "each.csv")), rowsOf(t, filepath.Join(dir, "tenth.csv"))
			if len(each) != 61 || len(tenth) != 7 {
				t.Fatalf("%d and %d rows, want 61 and 7", len(each), len(tenth))
			}
			for i, row := range tenth {
				if diff := cmp.Diff(each[10*i], row); diff != "" {
					t.Errorf("row of generation %d differs (-each +tenth):\n%s", 10*i, diff)
				}
			}
			changes := 0
			for g, row := range each {
				if row[0] != g {
					t.Fatalf("row %d is of generation %d", g, row[0])
				}
				if g == 0 {
					continue
				}
				changes += row[2] + row[3]
				if row[1]-each[g-1][1] != row[2]-row[3] {
					t.Errorf("generation %d: %d births and %d deaths, but %d cells became %d", g, row[2], row[3], each[g-1][1], row[1])
				}
			}
			if changes == 0 {
				t.Error("nothing was born and nothing died")
			}
		})
	}
}

// TestSeriesOfABlinker holds all columns to what anybody can see.
func TestSeriesOfABlinker(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clitest.RunJSON(t, dir, "blinker", "--size", "9", "-g", "2", "--series", "s.csv", "--every", "1")
	want := [][]int{{0, 3, -1, -1, -1, 0, 3, 1}, {1, 3, 2, 2, 0, -1, 1, 3}, {2, 3, 2, 2, -1, 0, 3, 1}}
	if diff := cmp.Diff(want, rowsOf(t, filepath.Join(dir, "s.csv"))); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
}

// TestFramesOfVolumes compares a frame with the middle layer of the universe.
func TestFramesOfVolumes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	flags := strings.Fields("--rule 3D5..7/6:T16,12,8 --seed 3 --density 0.2 -g 4")
	clitest.RunJSON(t, dir, append([]string{"--frames", "f", "--every", "2", "--out", "all.npy"}, flags...)...)
	clitest.RunJSON(t, dir, "f/frame-0000000004.png", "--rule", "B3/S23", "-g", "0", "--size", "16x12",
		"--out", "layer.npy")
	all, err := os.ReadFile(filepath.Join(dir, "all.npy"))
	if err != nil {
		t.Fatal(err)
	}
	layer, err := os.ReadFile(filepath.Join(dir, "layer.npy"))
	if err != nil {
		t.Fatal(err)
	}
	want := all[len(all)-16*12*4:][:16*12] // layer 4 of 8
	if got := layer[len(layer)-16*12:]; !bytes.Equal(got, want) || bytes.Count(want, []byte{1}) == 0 {
		t.Errorf("the frame has cells %v, want %v", got, want)
	}
}

// TestFrames checks that frames are the generations that they are named for.
func TestFrames(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{{"--size", "50x40", "--seed", "4"}, {"gosper-gun"}} {
		dir := t.TempDir()
		clitest.RunJSON(t, dir, append([]string{"-g", "25", "--frames", "frames", "--every", "10"}, flags...)...)
		clitest.RunJSON(t, dir, append([]string{"-g", "20", "--out", "last.rle"}, flags...)...)
		names, err := filepath.Glob(filepath.Join(dir, "frames", "*"))
		if err != nil || len(names) != 3 {
			t.Errorf("frames %v (%v), want generations 0, 10, 20", names, err)
		}
		if o := clitest.Gosper(t, dir, "diff", filepath.Join("frames", "frame-0000000020.png"), "last.rle"); o.Code != 0 {
			t.Errorf("%v: frame 20: %s%s", flags, o.Stdout, o.Stderr)
		}
	}
}
