package rule

// extended reads Extended Generations: births and survivals up to an offset, and at the offset ages a D and how
// long cells are live and not live.
func (s *scanner) extended(end, ages int) (Rule, error) {
	base, err := (&scanner{input: s.input, pos: s.pos, end: end}).lifelike()
	if err != nil {
		return Rule{}, err
	}
	table, ok := base.AsTable()
	if !ok || base.States != 2 {
		return Rule{}, s.fail(ages, "the number of states stands here for the second time: D says it")
	}
	list, err := parseAges(s.input[ages+1 : s.end])
	if err != nil {
		return Rule{}, s.fail(ages+1, "%v", err)
	}
	lives := func(block int) bool { return table.At(block) == 1 }
	r := shared(agedFile(base.String(), base.Neighbourhood, lives, list))
	if r.Table != nil {
		return base, nil // two states: D1
	}
	return r, nil
}
