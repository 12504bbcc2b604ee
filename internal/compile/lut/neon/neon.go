// Package neon says by which operations NEON, the vector instructions of arm64, makes a lookup table. Unlike
// AVX-512 and NVIDIA's GPUs it has no instruction for every table of three inputs, but some of three: a choice,
// and, with the hash SHA-3, two more. All 256 tables take at most three operations with those, and at most four
// without.
package neon

//go:generate go run ./gen

// Kind names the function of the inputs x, y and z that an operation computes.
type Kind uint8

// The kinds of operations, and the instructions that they are.
const (
	Not       Kind = iota // ^x: MVN
	And                   // x & y: AND
	Or                    // x | y: ORR
	Xor                   // x ^ y: EOR
	AndNot                // x & ^y: BIC
	OrNot                 // x | ^y: ORN
	Choose                // x & y | ^x & z: BSL, BIT or BIF, which overwrite x, z or y
	Xor3                  // x ^ y ^ z: EOR3, of SHA-3
	XorAndNot             // x ^ y & ^z: BCAX, of SHA-3
)

// Inputs is the number of inputs operations of a kind have.
func (k Kind) Inputs() int {
	switch k {
	case Not:
		return 1
	case Choose, Xor3, XorAndNot:
		return 3
	}
	return 2
}

// Table returns the lookup table of an operation on the tables x, y and z.
func (k Kind) Table(x, y, z uint8) uint8 {
	switch k {
	case Not:
		return ^x
	case And:
		return x & y
	case Or:
		return x | y
	case Xor:
		return x ^ y
	case AndNot:
		return x &^ y
	case OrNot:
		return x | ^y
	case Choose:
		return x&y | ^x&z
	case Xor3:
		return x ^ y ^ z
	default:
		return x ^ y&^z
	}
}

// Operation is one operation of a chain. Inputs 0, 1 and 2 are those of the lookup table; input 3 is the result
// of the first operation, and so on.
type Operation struct {
	Kind Kind
	In   [3]uint8 // their number depends on the kind
}

// Chain returns the operations that make a lookup table, the last of which gives it: as few as possible. It is empty
// for constants, and for tables that are one of their inputs. It must not be changed. sha3 says whether the processor
// has EOR3 and BCAX.
func Chain(table uint8, sha3 bool) []Operation {
	if sha3 {
		return chainsSHA3[table]
	}
	return chains[table]
}
