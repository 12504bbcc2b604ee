package soup

func init() {
	add := func(name string, has bool, make64 func(dst *uint64, n int, z, limit uint64)) {
		if has {
			makers[name] = func(dst []uint64, z, limit uint64) {
				if len(dst) > 0 {
					make64(&dst[0], len(dst), z, limit)
				}
			}
		}
	}
	add("words4", lanes4, words4)
	add("words8", lanes8, words8)
}
