package deflate

import (
	"cmp"
	"math/bits"
	"slices"
)

// prefix is the code of a symbol.
type prefix struct {
	bits uint32 // the first one lowest
	size uint8  // 0: the symbol does not occur
}

const longestCode = 15

// prefixes returns the shortest prefix codes for symbols with the given frequencies (Huffman 1952). No code is longer
// than longestCode. There are at least two codes, so that every decoder takes them.
func prefixes(count *[symbols]uint32) (codes [symbols]prefix) {
	weights := *count
	for symbol := 0; used(&weights) < 2; symbol++ {
		weights[symbol] = max(weights[symbol], 1)
	}
	for {
		sizes := codeSizes(&weights)
		if slices.Max(sizes[:]) <= longestCode {
			return canonical(sizes)
		}
		// Flatter weights have shorter codes.
		for i, n := range weights {
			weights[i] = (n + 1) / 2
		}
	}
}

func used(weights *[symbols]uint32) (n int) {
	for _, w := range weights {
		if w > 0 {
			n++
		}
	}
	return n
}

// codeSizes joins the two lightest trees until one is left. Leaves come in the order of their weights, and so
// do the trees that are made, so the lightest is the first of one of two queues.
func codeSizes(weights *[symbols]uint32) (sizes [symbols]uint8) {
	type tree struct {
		weight uint64
		parent int
		symbol int
	}
	var trees []tree
	for symbol, w := range weights {
		if w > 0 {
			trees = append(trees, tree{weight: uint64(w), symbol: symbol})
		}
	}
	slices.SortStableFunc(trees, func(a, b tree) int { return cmp.Compare(a.weight, b.weight) })
	leaves := len(trees)
	leaf, made := 0, leaves
	lightest := func() int {
		if made == len(trees) || leaf < leaves && trees[leaf].weight <= trees[made].weight {
			leaf++
			return leaf - 1
		}
		made++
		return made - 1
	}
	for len(trees) < 2*leaves-1 {
		a, b := lightest(), lightest()
		trees[a].parent, trees[b].parent = len(trees), len(trees)
		trees = append(trees, tree{weight: trees[a].weight + trees[b].weight})
	}
	depth := make([]uint8, len(trees))
	for i := len(trees) - 2; i >= 0; i-- {
		depth[i] = depth[trees[i].parent] + 1
		if i < leaves {
			sizes[trees[i].symbol] = depth[i]
		}
	}
	return sizes
}

// canonical returns the codes of such sizes (RFC 1951, section 3.2.2).
func canonical(sizes [symbols]uint8) (codes [symbols]prefix) {
	var number, next [longestCode + 1]uint32
	for _, size := range sizes {
		if size > 0 {
			number[size]++
		}
	}
	for size := 1; size < len(next); size++ {
		next[size] = (next[size-1] + number[size-1]) << 1
	}
	for symbol, size := range sizes {
		if size > 0 {
			codes[symbol] = prefix{bits.Reverse32(next[size]) >> (32 - size), size}
			next[size]++
		}
	}
	return codes
}
