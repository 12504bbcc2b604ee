package neon

import "testing"

// TestChains evaluates the chain of every table, and holds it to the fewest operations.
func TestChains(t *testing.T) {
	for _, sha3 := range []bool{false, true} {
		fewest := lengths(sha3)
		for table := range 256 {
			values := []uint8{0xF0, 0xCC, 0xAA}
			chain := Chain(uint8(table), sha3)
			for _, o := range chain {
				var in [3]uint8
				for k := range o.Kind.Inputs() {
					in[k] = values[o.In[k]]
				}
				if o.Kind > Choose && !sha3 {
					t.Errorf("table %02x takes an instruction of SHA-3: %v", table, chain)
				}
				values = append(values, o.Kind.Table(in[0], in[1], in[2]))
			}
			if made := values[len(values)-1]; len(chain) > 0 && int(made) != table {
				t.Errorf("table %02x: %v make %02x", table, chain, made)
			}
			want, ok := fewest[uint8(table)]
			if !ok {
				want = 4
			}
			if len(chain) != want {
				t.Errorf("table %02x takes %d operations, SHA-3 %v: %d are enough", table, len(chain), sha3, want)
			}
		}
	}
}

// lengths finds how many operations each table needs that needs no more than three, by widening sets of values.
// It shares no code with gen.
func lengths(sha3 bool) map[uint8]int {
	fewest := map[uint8]int{0x00: 0, 0xFF: 0, 0xF0: 0, 0xCC: 0, 0xAA: 0}
	var widen func(values []uint8, n int)
	widen = func(values []uint8, n int) {
		fresh := map[uint8]bool{}
		for _, x := range values {
			fresh[^x] = true
			for _, y := range values {
				for _, made := range []uint8{x & y, x | y, x ^ y, x &^ y, x | ^y} {
					fresh[made] = true
				}
				for _, z := range values {
					fresh[x&y|^x&z] = true
					if sha3 {
						fresh[x^y^z], fresh[x^(y&^z)] = true, true
					}
				}
			}
		}
		for made := range fresh {
			if m, ok := fewest[made]; !ok || n < m {
				fewest[made] = n
			}
			if n < 3 {
				widen(append(values[:len(values):len(values)], made), n+1)
			}
		}
	}
	widen([]uint8{0xF0, 0xCC, 0xAA}, 1)
	return fewest
}
