package roofline

import "sync"

// twoInputOperations is how many operations of two inputs (and, or, xor, and-not, with a register of ones at hand) a lookup table of
// three inputs takes at least, 0 to 5.
//
// A function is normal if it is 0 where all inputs are. The four operations on normal functions give normal functions, and are all
// operations of two inputs that do, so that normal functions never need the ones; and any other function is made by complementing
// a normal one, which takes one operation more.
func twoInputOperations(table uint8) int {
	if table&1 != 0 {
		if table == 0xFF {
			return 0
		}
		return normalOperations()[^table] + 1
	}
	return normalOperations()[table]
}

// normalOperations finds the shortest chain of operations for each normal function, by trying all chains of up to 4.
var normalOperations = sync.OnceValue(func() map[uint8]int {
	const longest = 4
	fewest := map[uint8]int{0: 0}
	var grow func(chain []uint8, length int)
	grow = func(chain []uint8, length int) {
		if n, known := fewest[chain[len(chain)-1]]; !known || length < n {
			fewest[chain[len(chain)-1]] = length
		}
		if length == longest {
			return
		}
		for i, x := range chain {
			for _, y := range chain[:i] {
				for _, f := range [...]uint8{x & y, x | y, x ^ y, x &^ y, y &^ x} {
					grow(append(chain, f), length+1)
				}
			}
		}
	}
	for _, input := range []uint8{0xF0, 0xCC, 0xAA} {
		fewest[input] = 0
	}
	grow([]uint8{0xF0, 0xCC, 0xAA}, 0)
	return fewest
})
