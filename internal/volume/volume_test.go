package volume

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawn makes a random volume, a box in it and a view of that.
func drawn(t *rapid.T) (*Volume, View) {
	side := rapid.IntRange(1, 20)
	v, err := New(side.Draw(t, "w"), side.Draw(t, "h"), side.Draw(t, "d"))
	if err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(0, 60).Draw(t, "cells") {
		v.Set(rapid.IntRange(0, v.W-1).Draw(t, "x"), rapid.IntRange(0, v.H-1).Draw(t, "y"),
			rapid.IntRange(0, v.D-1).Draw(t, "z"), byte(rapid.IntRange(1, 255).Draw(t, "state")))
	}
	view := View{
		Yaw: rapid.Float64Range(-180, 180).Draw(t, "yaw"), Pitch: rapid.Float64Range(-90, 90).Draw(t, "pitch"),
		Zoom: rapid.Float64Range(0.5, 6).Draw(t, "zoom"), Clip: v.Whole(),
		Colour: func(int, int, int, byte) color.RGBA { return color.RGBA{255, 255, 255, 255} },
	}
	for axis := range 3 {
		view.Clip.Min[axis] = rapid.IntRange(0, view.Clip.Max[axis]-1).Draw(t, "from")
		view.Clip.Max[axis] = rapid.IntRange(view.Clip.Min[axis]+1, view.Clip.Max[axis]).Draw(t, "to")
	}
	return v, view
}

// TestCast compares rays with all live cubes, one after the other.
func TestCast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, view := drawn(t)
		c := view.camera()
		for range 20 {
			slope := rapid.Float64Range(-c.slope, c.slope)
			along := c.forward.add(c.right, slope.Draw(t, "right")).add(c.down, slope.Draw(t, "down"))
			if rapid.Bool().Draw(t, "along an axis") {
				along[rapid.IntRange(0, 2).Draw(t, "axis")] = 0
			}
			for axis := range 3 { // a ray nearly in a face between cells is on either side of it, by rounding
				if math.Abs(along[axis]) < touch {
					along[axis] = 0
				}
			}
			if along == (vector{}) {
				continue // it is no ray
			}
			first := math.Inf(1)
			for z := view.Clip.Min[2]; z < view.Clip.Max[2]; z++ {
				for y := view.Clip.Min[1]; y < view.Clip.Max[1]; y++ {
					for x := view.Clip.Min[0]; x < view.Clip.Max[0]; x++ {
						if in, length := through([3]int{x, y, z}, c.at, along); v.At(x, y, z) != 0 && length > touch {
							first = min(first, in)
						}
					}
				}
			}
			got, ok := v.cast(&view.Clip, c.at, along)
			if !ok {
				got.at = math.Inf(1)
			}
			if got.at > first+touch {
				t.Fatalf("from %v along %v: a cell at %v, want %v", c.at, along, got.at, first)
			}
			if !ok {
				continue
			}
			if v.At(got.cell[0], got.cell[1], got.cell[2]) == 0 {
				t.Fatalf("from %v along %v: a dead cell %v", c.at, along, got.cell)
			}
			p := c.at.add(along, got.at)
			for axis := range 3 {
				if p[axis] < float64(got.cell[axis])-touch || p[axis] > float64(got.cell[axis]+1)+touch {
					t.Fatalf("from %v along %v: cell %v at %v, which is %v", c.at, along, got.cell, got.at, p)
				}
			}
		}
	})
}

// touch is the length of a ray in a cell up to which rounding decides whether it meets the cell.
const touch = 1e-6

// through returns where a ray enters a cell, and the length of the ray inside it.
func through(cell [3]int, from, along vector) (at, length float64) {
	cube := Box{Min: cell, Max: [3]int{cell[0] + 1, cell[1] + 1, cell[2] + 1}}
	in, out, _, ok := cube.enter(from, along)
	if !ok {
		return 0, 0
	}
	return in.at, out - in.at
}

// TestPicturesTurn: a volume that is turned by 90° with its viewer gives the same picture, except for the last bit.
func TestPicturesTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, view := drawn(t)
		// Not along the axes, where rays run in the faces between cells and rounding decides what they meet.
		view.Yaw, view.Pitch = view.Yaw+0.377, view.Pitch*0.99+0.219
		turned, err := New(v.D, v.H, v.W)
		if err != nil {
			t.Fatal(err)
		}
		for z := range v.D {
			for y := range v.H {
				for x := range v.W {
					turned.Set(v.D-1-z, y, x, v.At(x, y, z))
				}
			}
		}
		other := view
		other.Yaw += 90
		from, to := view.Clip.Min, view.Clip.Max
		other.Clip = Box{Min: [3]int{v.D - to[2], from[1], from[0]}, Max: [3]int{v.D - from[2], to[1], to[0]}}
		const side = 24
		one, err := v.Draw(t.Context(), view, side, side)
		if err != nil {
			t.Fatal(err)
		}
		two, err := turned.Draw(t.Context(), other, side, side)
		if err != nil {
			t.Fatal(err)
		}
		differ := 0
		for i := range one.Pix {
			if d := int(one.Pix[i]) - int(two.Pix[i]); d < -1 || d > 1 {
				differ++
			}
		}
		// Rays that graze an edge may fall on either side of it.
		if differ > len(one.Pix)/50 {
			t.Fatalf("%d of %d bytes differ", differ, len(one.Pix))
		}
	})
}

// TestWhole: the silhouette of a full volume is inside the picture, and touches no edge of it.
func TestWhole(t *testing.T) {
	v, err := New(9, 5, 14)
	if err != nil {
		t.Fatal(err)
	}
	for z := range v.D {
		for y := range v.H {
			for x := range v.W {
				v.Set(x, y, z, 1)
			}
		}
	}
	for _, yaw := range []float64{0, 30, 45, 200} {
		view := View{
			Yaw: yaw, Pitch: 25, Zoom: 1, Clip: v.Whole(), Background: color.RGBA{0, 0, 0, 255},
			Colour: func(int, int, int, byte) color.RGBA { return color.RGBA{255, 255, 255, 255} },
		}
		const side = 120
		p, err := v.Draw(t.Context(), view, side, side)
		if err != nil {
			t.Fatal(err)
		}
		var bright []int
		for y := range side {
			for x := range side {
				if p.RGBAAt(x, y).R == 0 {
					continue
				}
				bright = append(bright, y)
				if x == 0 || y == 0 || x == side-1 || y == side-1 {
					t.Fatalf("yaw %v: pixel (%d, %d) is not dark", yaw, x, y)
				}
			}
		}
		if len(bright) < side*side/10 || slices.Max(bright) < side/2 || slices.Min(bright) > side/2 {
			t.Errorf("yaw %v: %d bright pixels", yaw, len(bright))
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range [][3]int{{0, 1, 1}, {1, -1, 1}, {1, 1, 0}, {1 << 11, 1 << 11, 1 << 11}, {math.MaxInt, 2, 2}} {
		if _, err := New(c[0], c[1], c[2]); err == nil {
			t.Errorf("%v is taken", c)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	v, err := New(256, 256, 256)
	if err != nil {
		b.Fatal(err)
	}
	n := uint64(1)
	for i := 0; i < 400_000; i++ {
		n = n*6364136223846793005 + 1442695040888963407
		v.Set(int(n>>40)&255, int(n>>48)&255, int(n>>56)&255, 1)
	}
	view := View{
		Yaw: 35, Pitch: 25, Zoom: 1, Clip: v.Whole(),
		Colour: func(int, int, int, byte) color.RGBA { return color.RGBA{255, 255, 255, 255} },
	}
	for b.Loop() {
		if _, err := v.Draw(b.Context(), view, 640, 640); err != nil {
			b.Fatal(err)
		}
	}
}
