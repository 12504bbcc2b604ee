package scene

// Ages follows the cells of a viewer's region from frame to frame. As in LifeViewer, a pixel's age is
//
//	0         dead for long, or always
//	1 … 63    dead; 63 has just died, and 1 is about to be forgotten
//	64 … 127  alive; 64 has just been born
//
// Ages are in generations, as far as the frames show them: changes between two frames are not seen. If a pixel
// shows a block of cells, the block counts as alive if any of its cells is.
type Ages struct {
	region     Region
	generation uint64
	known      bool
	age, old   []uint8
}

const (
	// Newborn is the age of a cell that was dead in the frame before.
	Newborn = 64
	// Oldest is the largest age.
	Oldest = 127
)

// Update takes the frame of a generation and returns the ages of its pixels, row after row. They are valid
// until the next Update. empty is the background of the universe: see sim.Info. If the region has moved or the
// scale has changed, cells that come into view count as old. If the universe has gone back, all cells count as
// new.
func (a *Ages) Update(f *Frame, generation uint64, empty uint8) []uint8 {
	if !a.known || generation < a.generation {
		a.known, a.region, a.generation = true, f.Region, generation
		a.age = sized(a.age, f.W*f.H)
		for i := range a.age {
			a.age[i] = 0
			if f.live(i%f.W, i/f.W, empty) {
				a.age[i] = Newborn
			}
		}
		return a.age
	}
	a.move(f.Region)
	passed := uint8(min(generation-a.generation, Oldest))
	a.generation = generation
	for y := range f.H {
		row := a.age[y*f.W : (y+1)*f.W]
		for x := range row {
			row[x] = next(row[x], f.live(x, y, empty), passed)
		}
	}
	return a.age
}

// Forget makes all cells new at the next Update, because another universe has been loaded.
func (a *Ages) Forget() { a.known = false }

// unseen marks, between two Updates, a cell that was not in view.
const unseen = 255

// next is the age of a cell after some generations. Ages of live cells count up from Newborn to
// Oldest, those of dead cells down from Newborn-1 to 0:
//
//	0 ……………………… Newborn-1 │ Newborn ……………… Oldest
//	dead for long     just died │ just born    old
//
// A cell that is seen for the first time counts as old, or as dead for long.
func next(age uint8, alive bool, passed uint8) uint8 {
	switch {
	case age == unseen && alive:
		return Oldest
	case age == unseen:
		return 0
	case passed == 0 && alive == (age >= Newborn):
		return age
	case alive && age >= Newborn:
		return min(age+passed, Oldest)
	case alive:
		return Newborn
	case age >= Newborn:
		return Newborn - 1
	}
	return age - min(age, passed)
}

// move changes to another region.
func (a *Ages) move(to Region) {
	if to == a.region {
		return
	}
	from := a.region
	dx, dy := (to.X-from.X)>>to.Scale, (to.Y-from.Y)>>to.Scale
	a.old, a.age = a.age, sized(a.old, to.W*to.H)
	for y := range to.H {
		for x := range to.W {
			age := uint8(unseen)
			if ox, oy := x+dx, y+dy; from.Scale == to.Scale && ox >= 0 && ox < from.W && oy >= 0 && oy < from.H {
				age = a.old[oy*from.W+ox]
			}
			a.age[y*to.W+x] = age
		}
	}
	a.region = to
}

// live reports whether a pixel shows a cell that is not in state 0, or on a live background only such cells.
func (f *Frame) live(x, y int, empty uint8) bool {
	if f.Scale > 0 {
		return (f.Density[y*f.W+x] != 0) != (empty != 0)
	}
	return f.State(x, y) != empty // which is held in place of state 0
}
