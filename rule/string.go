package rule

// String is the canonical notation, with the bounded-grid suffix: Parse reads it as an equal rule. It keeps to the
// family the rule was written in where that family can say it.
func (r Rule) String() string {
	return r.notation() + r.Topology.Suffix()
}

func (r Rule) notation() string {
	if r.Family == RuleFile {
		return r.File.Name
	}
	if r.Table != nil {
		if r.Family == Isotropic {
			if birth, survival, ok := r.Table.classSets(); ok {
				return r.lifelikeString(birth.String(), survival.String())
			}
		}
		return r.mapString()
	}
	lettered := r.Neighbourhood.Letter == 'M' || r.Neighbourhood.Letter == 'N' || r.Neighbourhood.Letter == 'H'
	if r.Family == OuterTotalistic && r.Neighbourhood.Radius == 1 && lettered && r.StateWeights == nil {
		_, most := r.CountRange()
		return r.lifelikeString(r.Birth.Clip(0, most).digits(), r.Survival.Clip(0, most).digits())
	}
	return r.rangedString()
}
