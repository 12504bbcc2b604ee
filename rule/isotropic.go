package rule

import (
	"math/bits"
	"strings"
	"sync"
)

const (
	centre = 16
	full   = 511
)

// isotropicLetters has the classes of a neighbourhood. A block is a number: bit 8-i is cell i of the 3×3 block, row by
// row from the north-west.
type isotropicLetters struct {
	letters [9]string // by count, in the order of Set.String; "" if the count has only one class
	ring    int       // the neighbours
	most    int       // how many they are
	class   [full + 1]uint8
}

// mooreLetters has Alan Hensel's letters: "2-a" is any two neighbours but two that share a side. Counts 5 to 7 take
// the letter of their complement.
var mooreLetters = sync.OnceValue(func() *isotropicLetters {
	return newLetters(
		[9]string{"", "ce", "aceikn", "aceijknqry", "aceijknqrtwyz", "aceijknqry", "aceikn", "ce", ""},
		[]int{256, 128, 64, 8, 1, 2, 4, 32}, 2,
		[][]int{
			1: {1, 2},
			2: {3, 5, 10, 40, 33, 68},
			3: {11, 69, 42, 7, 14, 98, 13, 70, 41, 97},
			4: {15, 325, 170, 45, 106, 99, 71, 102, 43, 105, 78, 101, 108},
		},
	)
})

// hexagonalLetters has Paul Callahan's letters (1997), named after benzene. Two live neighbours are ortho if they are
// adjacent, meta with one between them, and para if they are opposite. Three are ortho in a row, para with one
// between each two, and otherwise meta. Four have the letter of the two dead ones.
var hexagonalLetters = sync.OnceValue(func() *isotropicLetters {
	return newLetters(
		[9]string{2: "omp", 3: "omp", 4: "omp"},
		[]int{256, 128, 8, 1, 2, 32}, 1,
		[][]int{
			2: {256 + 128, 256 + 8, 256 + 1},
			3: {256 + 128 + 8, 256 + 128 + 1, 256 + 8 + 2},
		},
	)
})

// vonNeumannLetters has no letters, because no program that runs patterns has any.
var vonNeumannLetters = sync.OnceValue(func() *isotropicLetters {
	return newLetters([9]string{}, []int{128, 8, 2, 32}, 1, nil)
})

// newLetters classifies all blocks. The ring has the neighbours in order around the cell, and a rotation moves
// them by step places. For each count up to half of the neighbours, blocks has one block of each class, in the
// order of letters.
func newLetters(letters [9]string, ring []int, step int, blocks [][]int) *isotropicLetters {
	l := &isotropicLetters{letters: letters, most: len(ring)}
	for _, bit := range ring {
		l.ring |= bit
	}
	for n, ofCount := range blocks {
		for class, block := range ofCount {
			for from := 0; from < len(ring); from += step {
				for _, mirrored := range []bool{false, true} {
					turned := turnBlock(block, ring, from, mirrored)
					for _, middle := range []int{0, centre} {
						l.class[turned|middle] = uint8(class)
						if 2*n < len(ring) {
							l.class[l.ring&^turned|middle] = uint8(class)
						}
					}
				}
			}
		}
	}
	for block := range l.class {
		l.class[block] = l.class[block&(l.ring|centre)]
	}
	return l
}

// turnBlock moves the cells of a block around the ring, and mirrors them.
func turnBlock(block int, ring []int, by int, mirrored bool) (turned int) {
	for i, bit := range ring {
		if block&bit == 0 {
			continue
		}
		if mirrored {
			i = len(ring) - i
		}
		turned |= ring[(i+by)%len(ring)]
	}
	return turned
}

// Of returns the letters of a count, or "" if it has none.
func (l *isotropicLetters) Of(count int) string { return l.letters[count] }

// Neighbours returns the number of neighbours.
func (l *isotropicLetters) Neighbours() int { return l.most }

// All returns all classes of a count, as bits.
func (l *isotropicLetters) All(count int) uint16 { return 1<<max(1, len(l.letters[count])) - 1 }

// count returns the number of live neighbours of a block.
func (l *isotropicLetters) count(block int) int { return bits.OnesCount(uint(block & l.ring)) }

// isotropicSet is a set of classes: bit c of entry n is class c of count n.
type isotropicSet [9]uint16

// Has reports whether the class of a block is in a set. The centre does not matter.
func (l *isotropicLetters) Has(s *isotropicSet, block int) bool {
	return s[l.count(block)]>>l.class[block]&1 == 1
}

// Add puts the class of a block into a set.
func (l *isotropicLetters) Add(s *isotropicSet, block int) { s[l.count(block)] |= 1 << l.class[block] }

// Counts returns a set as counts. It returns false if the set has some classes of a count but not all.
func (l *isotropicLetters) Counts(s isotropicSet) (counts []int, ok bool) {
	for n, classes := range s {
		switch classes {
		case 0:
		case l.All(n):
			counts = append(counts, n)
		default:
			return nil, false
		}
	}
	return counts, true
}

// String returns the shortest notation of a set. Of two equally short ones it takes that without a minus.
func (l *isotropicLetters) String(s isotropicSet) string {
	var b strings.Builder
	for n, classes := range s {
		if classes == 0 {
			continue
		}
		b.WriteByte('0' + byte(n))
		if classes == l.All(n) {
			continue
		}
		with, without := l.some(n, classes), "-"+l.some(n, l.All(n)&^classes)
		if len(without) < len(with) {
			with = without
		}
		b.WriteString(with)
	}
	return b.String()
}

// some returns the letters of some classes of a count.
func (l *isotropicLetters) some(n int, classes uint16) string {
	var b strings.Builder
	for c, letter := range l.letters[n] {
		if classes>>c&1 == 1 {
			b.WriteRune(letter)
		}
	}
	return b.String()
}
