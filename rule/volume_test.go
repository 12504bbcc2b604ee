package rule_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// The canonical notations are those that Golly's 3D.lua prints; Generations keep the order of the programs that have
// them.
func TestVolumes(t *testing.T) {
	for _, test := range []struct {
		in, canonical   string
		states          int
		letter          byte
		radius, size    int
		survival, birth string
	}{
		{"3D4,5/5", "3D4,5/5", 2, 'M', 1, 26, "4-5", "5"},
		{"3d4,5/5m", "", 0, 0, 0, 0, "", ""},
		{"3D5,6,7/6", "3D5..7/6", 2, 'M', 1, 26, "5-7", "6"},
		{"3D4,5,6,7,9/4,5,7", "3D4..7,9/4,5,7", 2, 'M', 1, 26, "4-7,9", "4-5,7"},
		{"3D7-9,4..5/26", "3D4,5,7..9/26", 2, 'M', 1, 26, "4-5,7-9", "26"},
		{"3D/", "3D/", 2, 'M', 1, 26, "", ""},
		{"3D0..6/1,3V", "3D0..6/1,3F", 2, 'N', 1, 6, "0-6", "1,3"},
		{"3d2,3/3c", "3D2,3/3C", 2, 'C', 1, 8, "2-3", "3"},
		{"3D4,5/5E", "3D4,5/5E", 2, 'E', 1, 12, "4-5", "5"},
		{"3D3/3H:t8,9,10", "3D3/3H:T8,9,10", 2, 'H', 1, 12, "3", "3"},
		{"4555", "3D4,5/5", 2, 'M', 1, 26, "4-5", "5"},
		{"5766", "3D5..7/6", 2, 'M', 1, 26, "5-7", "6"},
		{"4/4/5/M", "4/4/5/M", 5, 'M', 1, 26, "4", "4"},
		{"2,6,9/4,6,8-9/10/M", "2,6,9/4,6,8-9/10/M", 10, 'M', 1, 26, "2,6,9", "4,6,8-9"},
		{"8/5..7,12,13,15/5/m", "8/5-7,12-13,15/5/M", 5, 'M', 1, 26, "8", "5-7,12-13,15"},
		{"13-26/13-14,17-19/2/M", "3D13..26/13,14,17..19", 2, 'M', 1, 26, "13-26", "13-14,17-19"},
		{"0-6/1,3/2/N", "3D0..6/1,3F", 2, 'N', 1, 6, "0-6", "1,3"},
		{"/1/7/VN", "", 0, 0, 0, 0, "", ""},
		{"/2/3/F", "/2/3/N", 3, 'N', 1, 6, "", "2"},
		{"3/3/4/H", "3/3/4/H", 4, 'H', 1, 12, "3", "3"},
		{
			"3DR2,C0,M0,S25..43,B25..35,NM", "3DR2,C0,M0,S25..43,B25..35,NM", 2, 'M', 2, 124, "25-43", "25-35",
		},
		{"3dr2,s5..9,b6..8,nn", "3DR2,C0,M0,S5..9,B6..8,NN", 2, 'N', 2, 24, "5-9", "6-8"},
		{"3DR2,C3,M1,S5..9,B6..8,N2", "3DR2,C3,M1,S5..9,B6..8,N2", 3, '2', 2, 32, "4-8", "6-8"},
		{"3DR1,C2,S4-5,B5", "3DR1,C2,S4-5,B5", 2, 'M', 1, 26, "4-5", "5"},
		{"3DR16,C2,S9,B10,NM", "3DR16,C2,S9,B10", 2, 'M', 16, 33*33*33 - 1, "9", "10"},
	} {
		r, err := rule.Parse(test.in)
		if test.canonical == "" {
			if err == nil {
				t.Errorf("%s is read as %v", test.in, r)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		hood := r.Neighbourhood
		got := fmt.Sprintln(r, r.States, hood.Letter, hood.Radius, hood.Size(), len(hood.Offsets()), r.Survival, r.Birth)
		want := fmt.Sprintln(test.canonical, test.states, test.letter, test.radius, test.size, test.size, test.survival,
			test.birth)
		if got != want || !r.Volume() || r.Kind() != rule.KindCounting || r.Planes() < 1 {
			t.Errorf("%s: got %s, want %s", test.in, got, want)
		}
		checkRoundTrip(t, r)
		if _, isTable := r.AsTable(); isTable {
			t.Errorf("%s has a table of the 3×3 block", test.in)
		}
	}
	// What ends with a letter of a neighbourhood after a slash is of three dimensions, all else is not.
	for _, flat := range []string{"345/2/4", "34/2/4V", "B3/S23", "4/5/6", "23/3", "g4b2s345", "345/2/4LB"} {
		if r, err := rule.Parse(flat); err != nil || r.Volume() {
			t.Errorf("%s: %v, of three dimensions: %t", flat, err, r.Volume())
		}
	}
}

func TestVolumesRefused(t *testing.T) {
	for _, test := range []struct {
		in     string
		offset int
	}{
		{"3D", 2},
		{"3D4,5", 5},
		{"3D4,,5/5", 4},
		{"3D4,5/5/4", 7},
		{"3D27/5", 2},
		{"3D4/27", 4},
		{"3D7/5F", 2},
		{"3D9/5C", 2},
		{"3D13/5E", 2},
		{"3D13/5H", 2},
		{"3D5..4/5", 2},
		{"3D4.5/5", 4},
		{"3D4/5X", 5},
		{"3D4 5/5", 3},
		{"3DB4/S5", 2},
		{"4/4/1/M", 4},
		{"4/4/257/M", 4},
		{"4/7/5/N", 2},
		{"27/4/5/M", 0},
		{"4/4/5-6/M", 5},
		{"3DR0,C0,M0,S5..9,B6..8,NN", 3},
		{"3DR17,C0,M0,S5..9,B6..8,NN", 3},
		{"3DR2,C0,M0,S5..9,B6..25,NN", 18},
		{"3DR2,C0,M0,S5..9,B6..8,NC", 24},
		{"3DR2,C0,M0,S5..9,B6..8,N@00", 24},
		{"3DR2,C0,M0,S5..9,NN", 19},
		{"5466", 0},
		{"4565", 2},
		{"3D4/4|B3/S23", 6},
		{"B3/S23|3D4/4", 7},
		{"3DP", 3},
		{"3DPX/0.5/0.5", 3},
		{"3DPN4/0.5/0.5", 3},
		{"3DPC2/0.5/0.5", 3},
		{"3DPN/0.5/2", 9},
		{"3DQ17N/0.5", 3},
		{"3DQ3M/0.5", 4},
		{"3DBondDP", 7},
		{"3DIsing~q=3", 8},
		{"3D4/4:C5,5,5", 10},
	} {
		_, err := rule.Parse(test.in)
		var syntax *rule.SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != test.offset {
			t.Errorf("%s: got %v, want a mistake at %d", test.in, err, test.offset)
		}
	}
}

// A rule and its universe have as many dimensions.
func TestVolumesFit(t *testing.T) {
	for _, test := range []struct {
		rule, suffix string
		fits         bool
	}{
		{"3D4,5/5", "T8,8,8", true},
		{"3D4,5/5", "P8,9,1", true},
		{"3D4,5/5", "T8,8", false},
		{"3D4,5/5", "T0", false},
		{"3D4,5/5|3D5/5", "T8,8", false},
		{"3D4,5/5|3D5/5", "T8,8,8", true},
		{"3D4,5/5~flip=0.1", "T8,8", false},
		{"3D4,5/5~flip=0.1", "T8,8,8", true},
		{"B3/S23", "T8,8,8", false},
		{"B3/S23~flip=0.1", "T8,8,8", false},
		{"3D4,5/5~checkerboard", "T8,6,4", true},
		{"3D4,5/5~checkerboard", "T7,6,4", false},
		{"3D4,5/5~checkerboard", "T8,5,4", false},
		{"3D4,5/5~checkerboard", "T8,6,3", false},
		{"3D4,5/5~checkerboard", "P7,5,3", true},
		{"BusyBoxes", "T8,6,4", true},
		{"BusyBoxes", "T8,6,5", false},
		{"BusyBoxesW", "P8,6,4", false},
		{"BusyBoxesW|3D4,5/5", "P8,6,4", false},
		{"BusyBoxesW~flip=0.1", "P8,6,4", false},
		{"BusyBoxesW", "T8,6", false},
		{"3DIsing", "T8,6,4", true},
		{"3DIsing", "T8,8", false},
		{"Ising", "T8,6,4", false},
	} {
		r, err := rule.Parse(test.rule)
		if err != nil {
			t.Fatal(err)
		}
		top, err := topology.Parse(test.suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Fits(top); (err == nil) != test.fits {
			t.Errorf("%s on %s: %v", test.rule, test.suffix, err)
		}
	}
}

// Rules with probabilities, and models, say in how many dimensions they are. A model on a volume has three.
func TestChanceInVolumes(t *testing.T) {
	for _, test := range []struct {
		in, canonical string
		neighbours    int
	}{
		{"3dpn/0,0.5/0.2", "3DPN/0,0.5/0.2", 6},
		{"3DPF/0,0.5/0.2", "3DPN/0,0.5/0.2", 6},
		{"3DPM/0,0.5/0.2~checkerboard", "3DPM/0,0.5/0.2~checkerboard", 26},
		{"3DPC/0,0.5/0.2/1/C2", "3DPC/0,0.5/0.2/1/C2", 8},
		{"3DP23/0,0.5/0.2", "3DP23/0,0.5/0.2", 122},
		{"3DQ3H/0.3,0.1", "3DQ3H/0.3,0.1", 12},
		{"3dising~T=4", "3DIsing~T=4", 6},
		{"3DIsing", "3DIsing~T=4.511523", 6},
		{"Ising~T=4:T4,6,8", "3DIsing~T=4:T4,6,8", 6},
		{"sandpile~p=0:P4,6,8", "3DSandpile~p=0:P4,6,8", 6},
		{"3DSandpile~p=0.5,seed=3", "3DSandpile~p=0.5,seed=3", 6},
	} {
		r, err := rule.Parse(test.in)
		if err != nil {
			t.Errorf("%s: %v", test.in, err)
			continue
		}
		if r.String() != test.canonical || r.Neighbourhood.Size() != test.neighbours || !r.Volume() {
			t.Errorf("%s: %v of %d neighbours, of three dimensions: %t", test.in, r, r.Neighbourhood.Size(), r.Volume())
		}
		checkRoundTrip(t, r)
	}
	for flat, top := range map[string]string{"Ising": "T8,8", "FHP": "T8,8,8"} {
		if r, err := rule.Parse(flat + ":" + top); err != nil || r.Volume() {
			t.Errorf("%s on %s: %v, %v", flat, top, r, err)
		}
	}
}
