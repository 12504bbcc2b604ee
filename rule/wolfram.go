package rule

// wolfram reads W22: a line of cells evolves by Wolfram's rule of that number. Each generation appears below the one before, and live cells stay.
// Like Golly it refuses odd numbers, under which empty lines come alive.
func (s *scanner) wolfram() (Rule, error) {
	s.accept('W')
	at := s.pos
	n, err := s.numberIn("Wolfram's number", 0, 254)
	switch {
	case err != nil:
		return Rule{}, err
	case n%2 == 1:
		return Rule{}, s.fail(at, "Wolfram's rule %d: want an even number from 0 to 254", n)
	case !s.done():
		return Rule{}, s.fail(s.pos, "unexpected text after Wolfram's number")
	}
	table := newTable(func(block int) bool {
		const above = 6 // the bits of the three cells above start there, east the lowest
		return block&centreBit != 0 || n>>(block>>above)&1 == 1
	})
	return Rule{Family: MAP, States: 2, Neighbourhood: Neighbourhood{Letter: 'M', Radius: 1}, Table: table}, nil
}
