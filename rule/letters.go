package rule

// lettersOf are the letters that counts may have in a neighbourhood of radius 1.
func lettersOf(hood Neighbourhood) *isotropicLetters {
	switch hood.Letter {
	case 'M':
		return mooreLetters()
	case 'H':
		return hexagonalLetters()
	case 'N':
		return vonNeumannLetters()
	}
	return nil
}

// classSets are the sets of blocks that a table makes births and survivals of; ok is false where the table
// tells blocks of one class apart.
func (t *Table) classSets(letters *isotropicLetters) (birth, survival isotropicSet, ok bool) {
	for block := range fullBlock + 1 {
		switch {
		case t.At(block) == 0:
		case block&centreBit != 0:
			letters.Add(&survival, block)
		default:
			letters.Add(&birth, block)
		}
	}
	return birth, survival, *t == *isotropicTable(letters, birth, survival)
}

// isotropicTable lists the next state for all 512 blocks.
func isotropicTable(letters *isotropicLetters, birth, survival isotropicSet) *Table {
	return newTable(func(block int) bool {
		if block&centreBit != 0 {
			return letters.Has(&survival, block)
		}
		return letters.Has(&birth, block)
	})
}

// ofTable is the rule of a table and a number of states, in a notation that says it plainly: counts, letters or MAP.
func ofTable(t *Table, states int) Rule {
	var hoods []Neighbourhood
	for _, letter := range []byte("NHM") {
		hood := Neighbourhood{Letter: letter, Radius: 1}
		if !t.dependsOnly(blockMask(hood)) {
			continue
		}
		hoods = append(hoods, hood)
		if birth, survival, ok := t.classSets(lettersOf(hood)); ok {
			return isotropicRule(hood, states, birth, survival)
		}
	}
	return Rule{Family: MAP, States: states, Neighbourhood: hoods[0], Table: t}
}

// isotropicRule is the rule of sets of classes; it counts if it does not tell the classes of a count apart.
func isotropicRule(hood Neighbourhood, states int, birth, survival isotropicSet) Rule {
	letters := lettersOf(hood)
	r := Rule{Family: OuterTotalistic, States: states, Neighbourhood: hood}
	born, plain := letters.Counts(birth)
	stay, also := letters.Counts(survival)
	if !plain || !also {
		r.Family, r.Table = Isotropic, isotropicTable(letters, birth, survival)
		return r
	}
	r.Birth, r.Survival = countsOf(born), countsOf(stay)
	return r
}

// countsOf are some counts as a set.
func countsOf(list []int) Counts {
	intervals := make([]Interval, len(list))
	for i, n := range list {
		intervals[i] = Interval{Lo: n, Hi: n}
	}
	return NewCounts(intervals...)
}
