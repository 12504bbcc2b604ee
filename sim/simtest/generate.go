package simtest

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/internal/rulefiletest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// Chooser picks an integer from lo to hi. The label names its use. With rapid's generators, a failing Case shrinks:
//
//	choose := func(label string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, label) }
type Chooser func(label string, lo, hi int) int

// random is a Chooser of evenly distributed numbers that depend only on the seed.
func random(seed uint64) Chooser {
	next := splitMix(seed)
	return func(_ string, lo, hi int) int { return lo + int(next()%uint64(hi-lo+1)) }
}

// RandomCase is a case of any family, topology and size.
func RandomCase(choose Chooser) Case {
	f := choose("family", 0, len(families)-1)
	t := choose("topology", 0, len(topologies)-1)
	s := choose("size", 0, len(sizes)-1)
	return makeCase(choose, families[f], topologies[t], sizes[s])
}

// randomTables are cases of random rule tables: for each neighbourhood and symmetry some, on all topologies and
// sizes in turn. The states go around those given.
func randomTables(each int, states ...int) []Case {
	var cases []Case
	for _, hood := range rulefiletest.Symmetries {
		for _, symmetry := range hood.Symmetries {
			for i := range each {
				n := len(cases)
				choose := random(uint64(n))
				table := func(Chooser) string {
					return rulefiletest.Name(hood.Neighbourhood, symmetry, states[(n+i)%len(states)], uint64(1_000_000+n))
				}
				// 12 topologies, 16 sizes: the second goes on by one each time that the first has been around.
				size := sizes[(n+n/len(topologies))%len(sizes)]
				cases = append(cases, makeCase(choose, table, topologies[n%len(topologies)], size))
			}
		}
	}
	return cases
}

// oneRule is Cases(false), but each family on each topology has only the one rule that Cases(true) has, at all
// sizes. A GPU's driver takes much longer to compile a rule than to run a case.
func oneRule() []Case {
	rules := Cases(true)
	cases := Cases(false)
	for i := range cases {
		cases[i].Rule = rules[i/len(sizes)].Rule
	}
	return cases
}

// Cases is the fixed list: every rule family on every topology. If quick is set, each has one size. Otherwise every
// size has its own rule.
func Cases(quick bool) []Case {
	var cases []Case
	for f, family := range families {
		for t, topology := range topologies {
			for s, size := range sizes {
				if quick && s != (5*f+3*t)%len(sizes) {
					continue
				}
				choose := random(uint64((f*len(topologies)+t)*len(sizes) + s))
				cases = append(cases, makeCase(choose, family, topology, size))
			}
		}
	}
	return cases
}

// steps are ways to divide a run: one by one, in lengths that do not fit any engine's passes, and all at once.
var steps = [][]uint64{{1, 1, 1}, {1, 2, 3, 7}, {13}, {5, 2}, {7, 1, 5}, {3, 3}, {6, 6, 1}, {16}, {2, 24}, {1, 0, 4}}

// makeCase makes a case from choices. A fuzzer or a random source may choose.
func makeCase(choose Chooser, family func(Chooser) string, topology func(choose Chooser, w, h int) string,
	size [2]int,
) Case {
	written := family(choose)
	c := Case{
		Rule:     written,
		Topology: fitting(choose, written, topology, size),
		Seed:     uint64(choose("seed", 0, 1<<30)),
		Percent:  []int{50, 35, 20, 90, 5}[choose("density", 0, 4)],
		Steps:    steps[choose("steps", 0, len(steps)-1)],
		Threads:  choose("threads", 0, 3),
	}
	if choose("start", 0, 3) == 0 {
		c.Generation = 1000
	}
	return c
}

// fitting is a topology of about a size that a rule fits: those of 2×2 blocks, and of triangles, do not fit all.
func fitting(choose Chooser, written string, makeTopology func(choose Chooser, w, h int) string, size [2]int) string {
	r, err := rule.Parse(written)
	// a random table is not known yet
	if board := strings.Contains(written, "checkerboard"); !board && (err != nil || !r.DependsOnPlace()) {
		return makeTopology(choose, size[0], size[1])
	}
	even := func(label string, lo, hi int) int {
		n := choose(label, lo, hi)
		if label == "shift" {
			n &^= 1
		}
		return n
	}
	for odd := range 4 {
		suffix := makeTopology(even, (size[0]+1)&^1+odd&1, (size[1]+1)&^1+odd>>1)
		if t, err := topology.Parse(":" + suffix); err == nil && r.Fits(t) == nil {
			return suffix
		}
	}
	return fmt.Sprintf("P%d,%d", size[0], size[1])
}

// sizes are awkward: narrower than any radius, one more or less than a word, thin, longer than several words.
var sizes = [][2]int{
	{1, 1},
	{1, 7},
	{7, 1},
	{2, 2},
	{3, 3},
	{5, 4},
	{63, 65},
	{64, 64},
	{65, 63},
	{127, 1},
	{1, 129},
	{130, 70},
	{200, 3},
	{3, 200},
	{256, 16},
	{257, 33},
}

// topologies write the suffix of every kind of universe, of about the given size.
var topologies = []func(choose Chooser, w, h int) string{
	func(_ Chooser, w, h int) string { return fmt.Sprintf("T%d,%d", w, h) },
	func(_ Chooser, w, h int) string { return fmt.Sprintf("P%d,%d", w, h) },
	func(choose Chooser, w, h int) string { return fmt.Sprintf("T%d%+d,%d", w, choose("shift", -w, w), h) },
	func(choose Chooser, w, h int) string { return fmt.Sprintf("T%d,%d%+d", w, h, choose("shift", -h, h)) },
	func(_ Chooser, w, h int) string { return fmt.Sprintf("K%d*,%d", w, h) },
	func(_ Chooser, w, h int) string { return fmt.Sprintf("K%d,%d*", w, h) },
	func(_ Chooser, w, h int) string { return fmt.Sprintf("K%d*+1,%d", w, h) },
	func(_ Chooser, w, h int) string { return fmt.Sprintf("K%d,%d*+1", w, h) },
	func(_ Chooser, w, h int) string { return fmt.Sprintf("C%d,%d", w, h) },
	func(_ Chooser, w, h int) string { return fmt.Sprintf("S%d", min(max(w, h), 70)) },
	func(Chooser, int, int) string { return "T0" },
	func(choose Chooser, w, h int) string {
		kind := "TP"[choose("strip", 0, 1)]
		if choose("infinite", 0, 1) == 0 {
			return fmt.Sprintf("%c%d,0", kind, w)
		}
		return fmt.Sprintf("%c0,%d", kind, h)
	},
}

// undisturbed write a random rule in each notation that chance can be added to.
var undisturbed = []func(Chooser) string{
	outerTotalistic, hexOrVonNeumann, isotropic, blockTable, generations, isotropicGenerations, largerThanLife,
	largerThanLifeShaped, hrot,
	custom, weighted, ruleTable, function, blocks, alternating, marked, mcell, extended, triangles, wolfram, destructive,
	partitioned,
}

// families write a random rule in each notation, with chance and without.
var families = append([]func(Chooser) string{disturbed, disturbed, advancing, advancing, chancyTable, models},
	undisturbed...)

// triangles is a rule of triangles in each of its notations.
func triangles(choose Chooser) string {
	switch choose("notation", 0, 4) {
	case 0:
		return ltl(choose, choose("radius", 1, 2), "NL", 12)
	case 1:
		return custom(choose) + "L"
	case 2:
		return weighted(choose) + "L"
	case 3:
		birth, survival, suffix := triangleCounts(choose, 1)
		return fmt.Sprintf("%s/%s/%d%s", survival, birth, []int{3, 4, 25}[choose("states", 0, 2)], suffix)
	}
	return twoStateTriangles(choose)
}

func twoStateTriangles(choose Chooser) string {
	birth, survival, suffix := triangleCounts(choose, lowestBirth(choose))
	return "B" + birth + "/S" + survival + suffix
}

// triangleCounts are the counts of a rule of triangles, births from one on, and the letters of its neighbourhood.
func triangleCounts(choose Chooser, lowest int) (birth, survival, suffix string) {
	i := choose("neighbourhood", 0, 6)
	most := []int{12, 3, 9, 6, 6, 9, 3}[i]
	counts := func(label string, from int) string {
		var b strings.Builder
		for n := from; n <= most; n++ {
			if choose(label, 0, 2) == 0 {
				b.WriteByte("0123456789XYZ"[n])
			}
		}
		return b.String()
	}
	return counts("birth", lowest), counts("survival", 0), []string{"L", "LE", "LV", "LI", "LO", "LB", "LR"}[i]
}

// chance is a probability: of all sizes, and sometimes 0 or 1.
func chance(choose Chooser, label string) string {
	p := float64(choose(label, 0, 1<<30)) / (1 << 30)
	switch choose("how much", 0, 5) {
	case 0:
		return []string{"0", "1", "0.5", "0.03125"}[choose("simple", 0, 3)]
	case 1, 2: // found by points
		return fmt.Sprint(p * p / 40)
	}
	return fmt.Sprint(p)
}

// disturbed is a rule of any family with chance.
func disturbed(choose Chooser) string {
	return undisturbed[choose("family", 0, len(undisturbed)-1)](choose) + "~" + disturbances(choose, "set1")
}

// disturbances are options behind a ~. All rules can set cells; flip is for two states.
func disturbances(choose Chooser, usual string) string {
	options := []string{usual + "=" + chance(choose, usual)}
	if choose("async", 0, 1) == 0 {
		options = append(options, "async="+chance(choose, "update"))
	}
	if choose("checkerboard", 0, 2) == 0 {
		options = append(options, "checkerboard")
	}
	for _, name := range []string{"dead", "frozen"} {
		if choose(name, 0, 3) == 0 {
			options = append(options, fmt.Sprintf("%s=%g", name, []float64{0.001, 0.02, 0.1, 0.5}[choose("share", 0, 3)]))
		}
	}
	if choose("seed", 0, 1) == 0 {
		options = append(options, fmt.Sprintf("seed=%d", choose("seed", 0, 1<<30)))
	}
	return strings.Join(options, ",")
}

// advancing is a rule with a probability for each state and count.
func advancing(choose Chooser) string { return advancingIn(choose, "PM", "PN", "PH", "P@18", "PN2") }

// advancingIn is advancing in one of some neighbourhoods.
func advancingIn(choose Chooser, hoods ...string) string {
	b := strings.Builder{}
	b.WriteString(hoods[choose("neighbourhood", 0, len(hoods)-1)])
	states := []int{2, 2, 3, 4}[choose("states", 0, 3)]
	for s := range states {
		list := make([]string, choose("counts", 1, 3))
		for i := range list {
			list[i] = chance(choose, "probability")
			if s == 0 && i == 0 && choose("births", 0, 2) > 0 {
				list[i] = "0"
			}
		}
		b.WriteString("/" + strings.Join(list, ","))
	}
	if choose("counted", 0, 2) == 0 {
		fmt.Fprintf(&b, "/C%d", choose("state", 0, states-1))
	}
	if choose("disturbed", 0, 1) == 0 {
		b.WriteString("~" + disturbances(choose, []string{"flip", "set0"}[min(1, states-2)]))
	}
	return b.String()
}

// chancyTable is a random table with probabilities.
func chancyTable(choose Chooser) string {
	hood := rulefiletest.Symmetries[choose("neighbourhood", 0, len(rulefiletest.Symmetries)-1)]
	symmetry := hood.Symmetries[choose("symmetry", 0, len(hood.Symmetries)-1)]
	return rulefiletest.Name(hood.Neighbourhood, symmetry, choose("states", 2, 4), uint64(choose("table", 0, 1<<20))) +
		"-chancy"
}

// models are those of physics that no other family has.
func models(choose Chooser) string {
	switch choose("model", 0, 5) {
	case 0:
		return fmt.Sprintf("Sandpile~p=%s", chance(choose, "grains"))
	case 1:
		return []string{"FHP", "FHP2"}[choose("rest", 0, 1)]
	case 2:
		return fmt.Sprintf("Potts~q=%d,T=0.%d", choose("states", 2, 9), choose("temperature", 3, 9))
	case 3:
		return fmt.Sprintf("BondContact~lambda=%d,dt=%s", choose("lambda", 0, 9),
			[]string{"0.001", "0.1", "0.4", "1"}[choose("time", 0, 3)])
	}
	return proposing(choose, "M", "N", "H", "@18", "N2")
}

// proposing is a rule that proposes states, in one of some neighbourhoods.
func proposing(choose Chooser, hoods ...string) string {
	near := hoods[choose("neighbourhood", 0, len(hoods)-1)]
	return fmt.Sprintf("Q%d%s/%s,%s~%s", choose("states", 2, 6), near, chance(choose, "one"), chance(choose, "more"),
		disturbances(choose, "set1"))
}

// blocks is a rule of 2×2 blocks, mostly one that can be run backwards. Some fill the plane.
func blocks(choose Chooser) string {
	next := make([]string, 16)
	order := random(uint64(choose("blocks", 0, 1<<30)))
	for i := range next {
		next[i] = fmt.Sprint(i)
	}
	switch choose("fixed", 0, 3) {
	case 0: // dark and bright planes take turns
		next[0], next[15] = "15", "0"
	case 1: // any blocks may become the same
		for i := 1; i < 15; i++ {
			next[i] = fmt.Sprint(order("next", 0, 15))
		}
		return "M" + strings.Join(next, ",")
	}
	for i := 14; i > 1; i-- {
		k := order("other", 1, i)
		next[i], next[k] = next[k], next[i]
	}
	return "M" + strings.Join(next, ",")
}

// alternating is two to five rules that take turns: of the 3×3 block, of 2×2 blocks, or of larger neighbourhoods.
func alternating(choose Chooser) string {
	kinds := []func(Chooser) string{
		outerTotalistic, hexOrVonNeumann, isotropic, blocks, twoStatesBeyond,
		twoStateTriangles,
	}
	parts := make([]string, choose("rules", 2, 5))
	for i := range parts {
		parts[i] = kinds[choose("kind", 0, len(kinds)-1)](choose)
	}
	return strings.Join(parts, "|")
}

// twoStatesBeyond is a rule of two states that counts beyond the 3×3 block.
func twoStatesBeyond(choose Chooser) string {
	r := choose("radius", 2, 4)
	letter := "MNC"[choose("shape", 0, 2)]
	cells := map[byte]int{'M': (2*r + 1) * (2*r + 1), 'N': 2*r*(r+1) + 1, 'C': 3 * r * r}[letter]
	from := choose("birth", cells/5, cells/3)
	to := choose("survival", cells/5, cells/3)
	return fmt.Sprintf("R%d,C2,M%d,S%d..%d,B%d..%d,N%c", r, choose("middle", 0, 1), to, to+cells/5, from, from+cells/6,
		letter)
}

// some returns some of the digits lo to hi, each with the given probability in percent.
func some(choose Chooser, label string, lo, hi, percent int) string {
	var b strings.Builder
	for d := lo; d <= hi; d++ {
		if choose(label, 0, 99) < percent {
			fmt.Fprint(&b, d)
		}
	}
	return b.String()
}

// ruleTable returns the name of a random rule table.
func ruleTable(choose Chooser) string {
	hood := rulefiletest.Symmetries[choose("neighbourhood", 0, len(rulefiletest.Symmetries)-1)]
	symmetry := hood.Symmetries[choose("symmetry", 0, len(hood.Symmetries)-1)]
	states := []int{2, 3, 4, 5, 8, 17}[choose("states", 0, 5)]
	if hood.Neighbourhood == "Moore" || hood.Neighbourhood == "hexagonal" {
		states = min(states, 4) // more states would make circuits that take seconds to build
	}
	name := rulefiletest.Name(hood.Neighbourhood, symmetry, states, uint64(choose("table", 0, 1<<20)))
	if lowestBirth(choose) == 0 {
		name += rulefiletest.Filling
	}
	return name
}

// function returns the name of a random function of states, or of numbers of neighbours, in two dimensions.
func function(choose Chooser) string { return functionOf(choose, 0, 10) }

// functionOf is function in one of the neighbourhoods from one number to another.
func functionOf(choose Chooser, from, to int) string {
	hood := rulefiletest.Functions[choose("neighbourhood", from, to-1)].Name
	name := ""
	switch choose("inputs", 0, 2) {
	case 0:
		states := 2
		if small := map[string]bool{"N1": true, "line1": true, "skew": true, "H1": true}; small[hood] {
			states = choose("states", 2, 4)
		}
		if hood != "M2" && hood != "M4" && hood != "3DM1" { // their tables of states are too large
			name = rulefiletest.FunctionName(hood, "states", states, uint64(choose("function", 0, 1<<20)))
		}
	}
	if name == "" {
		name = rulefiletest.FunctionName(hood, "counts", choose("states", 2, 4), uint64(choose("function", 0, 1<<20)))
	}
	if choose("chance", 0, 3) == 0 {
		name += "-chancy"
	}
	return name
}

// lowestBirth is 1, except that one rule in five may be a B0 rule, and one table in five is.
func lowestBirth(choose Chooser) int {
	if choose("B0", 0, 4) == 0 {
		return 0
	}
	return 1
}

func outerTotalistic(choose Chooser) string {
	return fmt.Sprintf("B%s/S%s", some(choose, "birth", lowestBirth(choose), 8, 40), some(choose, "survival", 0, 8, 40))
}

func hexOrVonNeumann(choose Chooser) string {
	top, letter := 4, "V"
	if choose("hex", 0, 1) == 1 {
		top, letter = 6, "H"
	}
	return fmt.Sprintf("B%s/S%s%s", some(choose, "birth", lowestBirth(choose), top, 40),
		some(choose, "survival", 0, top, 50), letter)
}

func isotropic(choose Chooser) string {
	if choose("hexagonal", 0, 2) == 0 {
		return "B" + lettered(choose, hexagonalLetters, "birth", lowestBirth(choose)) + "/S" +
			lettered(choose, hexagonalLetters, "survival", 0) + "H"
	}
	return "B" + hensel(choose, "birth", lowestBirth(choose)) + "/S" + hensel(choose, "survival", 0)
}

// hexagonalLetters holds the letters of each count on a hexagonal grid.
var hexagonalLetters = []string{"", "", "omp", "omp", "omp", "", ""}

// hensel returns a list of counts with some of Hensel's letters.
func hensel(choose Chooser, label string, from int) string {
	return lettered(choose, []string{"", "ce", "cekain", "cekainyqjr", "cekainyqjrtwz", "cekainyqjr", "cekain", "ce", ""},
		label, from)
}

// lettered returns a list of counts with some of their letters, with or without a minus.
func lettered(choose Chooser, letters []string, label string, from int) string {
	var b strings.Builder
	for count := from; count < len(letters); count++ {
		if choose(label, 0, 99) >= 45 {
			continue
		}
		fmt.Fprint(&b, count)
		var chosen string
		for _, letter := range letters[count] {
			if choose("letter", 0, 1) == 1 {
				chosen += string(letter)
			}
		}
		if chosen != "" && len(chosen) < len(letters[count]) && choose("minus", 0, 1) == 1 {
			b.WriteByte('-')
		}
		b.WriteString(chosen)
	}
	return b.String()
}

// blockTable returns a MAP string of 512, 128 or 32 bits.
func blockTable(choose Chooser) string {
	table := make([]byte, []int{64, 16, 4}[choose("table", 0, 2)])
	for i := range table {
		half := choose("bits", 0, 255)
		table[i] = byte(half & choose("bits", 0, 255)) // a quarter of the bits
	}
	if lowestBirth(choose) == 1 {
		table[0] &= 0x7F
	}
	return "MAP" + base64.RawStdEncoding.EncodeToString(table)
}

// extended returns a rule of Extended Generations.
func extended(choose Chooser) string {
	r := fmt.Sprintf("B%s/S%s", hensel(choose, "birth", 1), hensel(choose, "survival", 0))
	if choose("hexagonal", 0, 2) == 0 {
		r = fmt.Sprintf("B%s/S%sH", some(choose, "birth", 1, 6, 40), some(choose, "survival", 0, 6, 50))
	}
	return fmt.Sprintf("%s/D%d-%d-%d", r, choose("live", 0, 3), choose("not live", 0, 3), choose("live again", 1, 3))
}

// destructive is a BSFKL rule.
func destructive(choose Chooser) string {
	return fmt.Sprintf("B%s/S%s/F%s/K%s/L%s", some(choose, "birth", lowestBirth(choose), 8, 30),
		some(choose, "survival", 0, 8, 40),
		some(choose, "free", 0, 8, 60), some(choose, "killed", 0, 8, 40), some(choose, "disarmed", 0, 8, 40))
}

// partitioned is a rule of cells with four parts: half of them are permutations, and one in eight fills the plane.
func partitioned(choose Chooser) string {
	next := make([]string, 16)
	order := random(uint64(choose("states", 0, 1<<30)))
	for i := range next {
		next[i] = fmt.Sprint(i)
	}
	lowest := min(choose("lowest", 0, 7), 1)
	permuted := choose("permuted", 0, 1) == 0
	for i := len(next) - 1; i >= lowest; i-- {
		k := order("other", lowest, i)
		next[i], next[k] = next[k], next[i]
		if !permuted {
			next[i] = fmt.Sprint(order("next", 0, len(next)-1))
		}
	}
	return "2PCA4," + strings.Join(next, ",")
}

// mcell returns a rules table or a cyclic automaton of MCell's.
func mcell(choose Chooser) string {
	states := choose("states", 3, 9)
	if choose("cyclic", 0, 1) == 0 {
		end := []string{"NM", "NN", "NM/GH", "NN/GH"}[choose("end", 0, 3)]
		return fmt.Sprintf("R1/T%d/C%d/%s", choose("threshold", 1, 4), states, end)
	}
	text := fmt.Sprintf("%d,%d,%d,0", choose("neighbourhood", 1, 2), choose("middle", 0, 1), choose("odd", 0, 1))
	const row = 10
	for range row*states - 1 {
		text += fmt.Sprintf(",%d", choose("next", 0, states-1)*choose("some", 0, 1))
	}
	return text
}

// wolfram returns one of W0 to W255.
func wolfram(choose Chooser) string { return fmt.Sprintf("W%d", choose("number", 0, 255)) }

// marked returns a rule of two states with marks, of every kind.
func marked(choose Chooser) string {
	r := []string{
		fmt.Sprintf("B%s/S%s", some(choose, "birth", 1, 8, 30), some(choose, "survival", 0, 8, 40)),
		fmt.Sprintf("B%s/S%sH", some(choose, "birth", 1, 6, 30), some(choose, "survival", 0, 6, 40)),
		fmt.Sprintf("B%s/S%sV", some(choose, "birth", 1, 4, 30), some(choose, "survival", 0, 4, 40)),
		fmt.Sprintf("B%s/S%s", hensel(choose, "birth", 1), hensel(choose, "survival", 0)),
	}[choose("neighbourhood", 0, 3)]
	return r + []string{"History", "Super", "Investigator"}[choose("marks", 0, 2)]
}

func generations(choose Chooser) string {
	states := []int{3, 4, 5, 8, 25, 256}[choose("states", 0, 5)]
	return fmt.Sprintf("%s/%s/%d", some(choose, "survival", 0, 8, 40), some(choose, "birth", 1, 8, 40), states)
}

func isotropicGenerations(choose Chooser) string {
	states := []int{3, 4, 7}[choose("states", 0, 2)]
	return fmt.Sprintf("%s/%s/%d", hensel(choose, "survival", 0), hensel(choose, "birth", 1), states)
}

func largerThanLife(choose Chooser) string {
	r := choose("radius", 1, 7)
	return ltl(choose, r, "NM", (2*r+1)*(2*r+1)-1)
}

// largerThanLifeShaped chooses a neighbourhood of each shape.
func largerThanLifeShaped(choose Chooser) string {
	r := choose("radius", 1, 5)
	square, diamond := (2*r+1)*(2*r+1)-1, 2*r*(r+1)
	// The size of the circles and lattices of some letters has no formula. For these a lower bound is used, which
	// is enough for a range.
	shapes := []struct {
		letter string
		size   int
	}{
		{"NN", diamond},
		{"NC", diamond},
		{"N2", diamond},
		{"NB", square / 2},
		{"ND", square / 2},
		{"N+", 4 * r},
		{"NX", 4 * r},
		{"N*", 8 * r},
		{"N#", 8 * r},
		{"NH", 3 * r * (r + 1)},
		{"NA", 6 * r},
		{"N3", 3 * r},
		{"NG", square},
	}
	s := shapes[choose("shape", 0, len(shapes)-1)]
	return ltl(choose, r, s.letter, s.size)
}

// ltl returns a Larger-than-Life rule with ranges around a third of the neighbourhood, because such rules stay alive.
func ltl(choose Chooser, radius int, letter string, size int) string {
	middle := choose("middle", 0, 1)
	states := []int{0, 0, 0, 3, 6}[choose("states", 0, 4)]
	from := func(label string, least int) (int, int) {
		lo := choose(label, max(least, size/8), max(least, size/2))
		return lo, choose(label, lo, size)
	}
	surviveLo, surviveHi := from("survival", middle)
	bornLo, bornHi := from("birth", 1)
	if states == 0 && lowestBirth(choose) == 0 {
		bornLo = 0
	}
	return fmt.Sprintf("R%d,C%d,M%d,S%d..%d,B%d..%d,%s", radius, states, middle, surviveLo, surviveHi, bornLo, bornHi,
		letter)
}

// hrot returns a rule with lists of counts and ranges.
func hrot(choose Chooser) string {
	r := choose("radius", 1, 4)
	states := []int{2, 2, 4}[choose("states", 0, 2)]
	return fmt.Sprintf("R%d,C%d,S%s,B%s,NM", r, states, ranges(choose, "survival", 0, r), ranges(choose, "birth", 1, r))
}

// ranges returns some counts and ranges of the Moore neighbourhood, in rising order with gaps.
func ranges(choose Chooser, label string, from, radius int) string {
	size := (2*radius+1)*(2*radius+1) - 1
	var parts []string
	for at := from + choose(label, 0, size/3); at <= size && len(parts) < 4; {
		end := min(size, at+choose(label, 0, size/6))
		if end > at {
			parts = append(parts, fmt.Sprintf("%d-%d", at, end))
		} else {
			parts = append(parts, fmt.Sprint(at))
		}
		at = end + 2 + choose(label, 0, size/4)
	}
	return strings.Join(parts, ",")
}

// custom returns a neighbourhood that is given cell by cell.
func custom(choose Chooser) string {
	r := choose("radius", 1, 3)
	size := (2*r+1)*(2*r+1) - 1
	digits, neighbours := "", 0
	for range size / 4 {
		d := choose("cells", 0, 15)
		digits += fmt.Sprintf("%x", d)
		for ; d > 0; d &= d - 1 {
			neighbours++
		}
	}
	if neighbours == 0 {
		return custom(choose)
	}
	return ltl(choose, r, "N@"+digits, neighbours)
}

// weighted returns a neighbourhood with positive and negative weights.
func weighted(choose Chooser) string {
	r := choose("radius", 1, 2)
	digits, positive := "", 0
	for range (2*r + 1) * (2*r + 1) {
		w := choose("weight", 0, 7)
		if choose("sign", 0, 3) == 0 {
			w += 8 // sign and magnitude
		} else {
			positive += w
		}
		digits += fmt.Sprintf("%x", w)
	}
	if positive < 2 {
		return weighted(choose)
	}
	lo := choose("birth", 1, (positive+1)/2)
	least := choose("survival", 0, (positive+1)/2)
	return fmt.Sprintf("R%d,C%d,M1,S%d..%d,B%d..%d,NW%s", r, []int{0, 3}[choose("states", 0, 1)],
		least, choose("survival", least, positive), lo, choose("birth", lo, positive), digits)
}
