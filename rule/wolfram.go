package rule

// wolfram reads W22: a line of cells evolves by Wolfram's rule of that number. Each generation appears below
// the one before, and stays.
func (s *scanner) wolfram() (Rule, error) {
	s.accept('W')
	n, err := s.numberIn("Wolfram's number", 0, 255)
	switch {
	case err != nil:
		return Rule{}, err
	case !s.done():
		return Rule{}, s.fail(s.pos, "unexpected text after Wolfram's number")
	case n%2 == 1:
		return shared(elementaryFile(n)), nil
	}
	table := newTable(func(block int) bool {
		const above = 6 // the bits of the three cells above start there, east the lowest
		return block&centreBit != 0 || elementaryLive(n, block>>above)
	})
	return Rule{Family: MAP, States: 2, Neighbourhood: Neighbourhood{Letter: 'M', Radius: 1}, Table: table}, nil
}
