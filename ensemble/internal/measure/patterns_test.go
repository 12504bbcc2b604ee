package measure

// pairsByDefinition counts two live cells side by side, or one above the other, and those that no third one touches.
func pairsByDefinition(want map[string]float64, v View) {
	live := func(x, y int) bool {
		x, y, inside := v.Topology.Fold(x, y)
		return inside && v.Cells.Get(x, y) == 1
	}
	around := func(x, y int) (n int) {
		for d := range 9 {
			if d != 4 && live(x+d%3-1, y+d/3-1) {
				n++
			}
		}
		return n
	}
	pairs, alone := 0.0, 0.0
	for y := range v.Topology.H {
		for x := range v.Topology.W {
			for _, d := range [][2]int{{1, 0}, {0, 1}} {
				if live(x, y) && live(x+d[0], y+d[1]) {
					pairs++
					if around(x, y) == 1 && around(x+d[0], y+d[1]) == 1 {
						alone++
					}
				}
			}
		}
	}
	want["pattern_1"], want["isolated_1"] = pairs, alone
}
