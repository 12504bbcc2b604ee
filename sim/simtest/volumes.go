package simtest

import (
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/internal/rulefiletest"
	"github.com/gosper-life/gosper/rule"
)

// volumeChecks are of universes of three dimensions: random rules of every notation on both topologies at awkward sizes
// against the reference, and results of another program. quick leaves out most sizes, quickly the known results that
// take a cell-by-cell engine long.
func volumeChecks(quick bool, plan string, quickly bool) ([]check, error) {
	known, err := truthChecks(quickly, volumeTruths)
	return append(checksOf(volumeCases(quick), plan), known...), err
}

// volumeTruths are the tables of results in three dimensions.
var volumeTruths = []truthTable{{"life3d.tsv", parseVolumeRow}, {"busyboxes.tsv", parseVolumeRow}}

func parseVolumeRow(row map[string]string) (truth, error) {
	return parseSoup(row, row["rule"], fmt.Sprintf("%s%s,%s,%s", row["topo"], row["W"], row["H"], row["D"]))
}

// volumeCases is a fixed list of cases in three dimensions: rules of every notation on both topologies. If quick, there
// are four sizes for each, else all.
func volumeCases(quick bool) []Case {
	var cases []Case
	for f, family := range volumeFamilies {
		for k, kind := range "TP" {
			for s, size := range volumeSizes {
				if quick && (s+3*f+k)%4 != 0 {
					continue
				}
				choose := random(uint64(1_000_000 + (2*f+k)*len(volumeSizes) + s))
				c := makeCase(choose, family, plainTorus, [2]int{1, 1})
				kind := kind
				if strings.Contains(c.Rule, "BusyBoxes") { // cells change places on tori only
					kind = 'T'
				}
				if kind == 'T' && usesCheckerboard(c.Rule) {
					for i := range size {
						size[i] += size[i] & 1
					}
				}
				c.Topology = fmt.Sprintf("%c%d,%d,%d", kind, size[0], size[1], size[2])
				cases = append(cases, c)
			}
		}
	}
	return cases
}

// usesCheckerboard reports whether the sides of a torus must be even. Functions are not known yet.
func usesCheckerboard(written string) bool {
	r, err := rule.Parse(written)
	return strings.Contains(written, "checkerboard") || err == nil && r.DependsOnPlace()
}

func plainTorus(_ Chooser, w, h int) string { return fmt.Sprintf("T%d,%d", w, h) }

// volumeSizes are thin along one axis or two, smaller than any radius, and around the length of a word.
var volumeSizes = [][3]int{
	{1, 1, 1},
	{5, 3, 2},
	{2, 2, 2},
	{1, 1, 9},
	{1, 9, 1},
	{9, 1, 1},
	{3, 3, 3},
	{64, 4, 3},
	{63, 5, 4},
	{65, 3, 5},
	{130, 4, 2},
	{17, 16, 15},
	{33, 21, 9},
	{257, 3, 3},
	{7, 30, 6},
	{128, 1, 2},
	{3, 1, 64},
	{24, 9, 21},
}

// volumeUndisturbed write a random rule in each notation of three dimensions that chance can be added to.
var volumeUndisturbed = []func(Chooser) string{
	volumeCounts, volumeCounts, volumeGenerations, volumeRanged, volumeRanged, volumeLists, volumeTurns, volumeFunction,
	volumeSwaps,
}

// volumeFamilies write a random rule in each notation of three dimensions, with chance and without.
var volumeFamilies = append([]func(Chooser) string{volumeDisturbed, volumeAdvancing, volumeModels},
	volumeUndisturbed...)

// volumeSwaps is a rule under which cells change places, alone or in turns with another.
func volumeSwaps(choose Chooser) string {
	return []string{"BusyBoxesW", "BusyBoxesW|3D4,5/5"}[choose("turns", 0, 1)]
}

// volumeFunction is a function of cells in several layers.
func volumeFunction(choose Chooser) string {
	return functionOf(choose, 10, len(rulefiletest.Functions))
}

// volumeShapes are the letters of 3D.lua and of Generations, with the number of neighbours.
var volumeShapes = []struct {
	golly, generations string
	size               int
}{{"", "M", 26}, {"F", "N", 6}, {"C", "C", 8}, {"E", "E", 12}, {"H", "H", 12}}

// volumeCounts is a rule like 3D4,5/5E.
func volumeCounts(choose Chooser) string {
	s := volumeShapes[choose("shape", 0, len(volumeShapes)-1)]
	return fmt.Sprintf("3D%s/%s%s", listed(choose, "survival", 0, s.size),
		listed(choose, "birth", lowestBirth(choose), s.size),
		s.golly)
}

// volumeGenerations is a rule like 4/4/5/M.
func volumeGenerations(choose Chooser) string {
	s := volumeShapes[choose("shape", 0, len(volumeShapes)-1)]
	states := []int{3, 4, 5, 10, 33}[choose("states", 0, 4)]
	return fmt.Sprintf("%s/%s/%d/%s", listed(choose, "survival", 0, s.size), listed(choose, "birth", 1, s.size), states,
		s.generations)
}

// volumeRanged is larger than Life.
func volumeRanged(choose Chooser) string {
	letter, r, size := volumeBall(choose)
	return "3D" + ltl(choose, r, letter, size)
}

// volumeLists is a rule of a larger neighbourhood with lists of counts.
func volumeLists(choose Chooser) string {
	letter, r, size := volumeBall(choose)
	states := []int{2, 2, 4}[choose("states", 0, 2)]
	return fmt.Sprintf("3DR%d,C%d,S%s,B%s,%s", r, states, listed(choose, "survival", 0, size),
		listed(choose, "birth", 1, size), letter)
}

// volumeBall is a cube, an octahedron or a sphere, with the number of its cells, of the sphere at least as many.
func volumeBall(choose Chooser) (letter string, radius, size int) {
	r := choose("radius", 1, 3)
	octahedron := []int{0, 6, 24, 62}[r]
	switch choose("shape", 0, 2) {
	case 0:
		return "NN", r, octahedron
	case 1:
		return "N2", r, octahedron
	}
	return "NM", r, (2*r+1)*(2*r+1)*(2*r+1) - 1
}

// volumeTurns is two or three rules that take turns.
func volumeTurns(choose Chooser) string {
	rules := make([]string, choose("rules", 2, 3))
	for i := range rules {
		rules[i] = volumeCounts(choose)
	}
	return strings.Join(rules, "|")
}

// volumeDisturbed is a rule of any family with chance.
func volumeDisturbed(choose Chooser) string {
	family := volumeUndisturbed[choose("family", 0, len(volumeUndisturbed)-1)]
	return family(choose) + "~" + disturbances(choose, "set1")
}

// volumeAdvancing is a rule with a probability for each state and count.
func volumeAdvancing(choose Chooser) string {
	return "3D" + advancingIn(choose, "PM", "PN", "PE", "PH", "PN2", "P22")
}

// volumeModels are models of physics, and rules that propose a state.
func volumeModels(choose Chooser) string {
	switch choose("model", 0, 6) {
	case 0:
		return fmt.Sprintf("3DSandpile~p=%s", chance(choose, "grains"))
	case 1:
		return fmt.Sprintf("3DPotts~q=%d,T=%d.%d", choose("states", 2, 9), choose("hot", 0, 1), choose("temperature", 3, 9))
	case 2:
		return fmt.Sprintf("3DIsing~T=%d.5", choose("temperature", 1, 9))
	case 3:
		return []string{"3DVoter", "3DGlauber", "3DMajorityVote", "3DSIRS", "3DForestFire", "3DNoisyGH"}[choose("name", 0, 5)]
	}
	return "3D" + proposing(choose, "N", "C", "E", "H", "N2")
}

// listed is some counts from one number to another, the lower ones more often, with ranges.
func listed(choose Chooser, label string, from, to int) string {
	var list []string
	for n := from; n <= to; n++ {
		if choose(label, 0, to) > n && choose(label, 0, 9) < 7 {
			continue
		}
		last := min(to, n+choose("range", 0, max(0, to/8)))
		list = append(list, fmt.Sprintf("%d-%d", n, last))
		n = last + 1
	}
	return strings.Join(list, ",")
}
