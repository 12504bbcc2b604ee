package roofline

import "sync"

// twoInputOperations is the smallest number of two-input operations that make a three-input lookup table, 0
// to 5. The operations are and, or, xor and and-not, and a register of ones is available.
//
// A function is normal if it is 0 when all inputs are 0. These four operations turn normal functions into normal
// functions, and they are all the two-input operations that do, so a normal function never needs the ones. Any other
// function is the complement of a normal one, which costs one more operation.
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
