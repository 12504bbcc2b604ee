package rule

import (
	"math/bits"
	"strings"

	"github.com/gosper-life/gosper/topology"
)

// Alan Hensel's letters split the blocks of n neighbours into the classes that rotations and reflections make one:
// "2-a" is any two neighbours but two that share a side. Counts 5 to 7 take the letter of their complement; 0 and 8
// have one class and no letter.

// henselLetters are the letters of each count, in the order of String.
var henselLetters = [9]string{
	"", "ce", "aceikn", "aceijknqry", "aceijknqrtwyz", "aceijknqry", "aceikn", "ce", "",
}

// henselBlocks hold one block of each class of counts 1 to 4, in the order of henselLetters (see Table; the centre is
// 0).
var henselBlocks = [5][]int{
	1: {1, 2},
	2: {3, 5, 10, 40, 33, 68},
	3: {11, 69, 42, 7, 14, 98, 13, 70, 41, 97},
	4: {15, 325, 170, 45, 106, 99, 71, 102, 43, 105, 78, 101, 108},
}

// henselClasses give the class of each block, centre left aside, as an index into henselLetters[count] (0 for counts 0
// and 8).
var henselClasses = classifyBlocks()

func classifyBlocks() (classes [512]uint8) {
	const ring = fullBlock &^ centreBit
	for _, blocks := range henselBlocks {
		for class, block := range blocks {
			for _, s := range topology.Symmetries {
				turned := turn(block, s)
				for _, centre := range []int{0, centreBit} {
					classes[turned|centre] = uint8(class)
					if bits.OnesCount(uint(block)) < 4 {
						classes[ring&^turned|centre] = uint8(class)
					}
				}
			}
		}
	}
	return classes
}

// neighbours is the number of cells of a block, centre left aside.
func neighbours(block int) int { return bits.OnesCount(uint(block &^ centreBit)) }

// classSet is a set of blocks that is invariant under all eight symmetries: bit c of entry n is class c of count n.
type classSet [9]uint16

// allClasses are the classes of a count.
func allClasses(n int) uint16 { return 1<<max(1, len(henselLetters[n])) - 1 }

// has reports whether the set holds a block, centre left aside.
func (s *classSet) has(block int) bool {
	return s[neighbours(block)]>>henselClasses[block]&1 == 1
}

// counts is the set as a set of neighbour counts; ok is false where it holds some classes of a count but not all.
func (s *classSet) counts() (c Counts, ok bool) {
	var all []Interval
	for n, classes := range s {
		switch classes {
		case 0:
		case allClasses(n):
			all = append(all, Interval{Lo: n, Hi: n})
		default:
			return nil, false
		}
	}
	return NewCounts(all...), true
}

// String is the shortest notation, letters in alphabetical order, without a minus where both ways are as long.
func (s *classSet) String() string {
	var b strings.Builder
	for n, classes := range s {
		if classes == 0 {
			continue
		}
		b.WriteByte('0' + byte(n))
		if classes == allClasses(n) {
			continue
		}
		with, without := lettersOf(n, classes), "-"+lettersOf(n, allClasses(n)&^classes)
		if len(without) < len(with) {
			with = without
		}
		b.WriteString(with)
	}
	return b.String()
}

func lettersOf(n int, classes uint16) string {
	var b strings.Builder
	for c, letter := range henselLetters[n] {
		if classes>>c&1 == 1 {
			b.WriteRune(letter)
		}
	}
	return b.String()
}

// classSets are the sets of blocks that a table makes births and survivals of; ok is false where the table tells blocks
// of one class apart.
func (t *Table) classSets() (birth, survival classSet, ok bool) {
	for block := range fullBlock + 1 {
		if t.At(block) == 0 {
			continue
		}
		set := &birth
		if block&centreBit != 0 {
			set = &survival
		}
		set[neighbours(block)] |= 1 << henselClasses[block]
	}
	return birth, survival, *t == *isotropicTable(birth, survival)
}

func isotropicTable(birth, survival classSet) *Table {
	return newTable(func(block int) bool {
		if block&centreBit != 0 {
			return survival.has(block)
		}
		return birth.has(block)
	})
}
