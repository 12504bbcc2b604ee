package scaling

import (
	"slices"
	"strconv"
	"strings"
)

// cutOptions divides a rule's notation into its name and the options behind the ~.
func cutOptions(rule string) (name string, options []string) {
	name, text, _ := strings.Cut(rule, "~")
	return name, strings.Split(text, ",")
}

// number reads an option that sets a parameter to a number.
func number(option string) (name string, value float64, ok bool) {
	name, text, _ := strings.Cut(option, "=")
	value, err := strconv.ParseFloat(text, 64)
	return name, value, err == nil
}

// NameOf is a rule's notation without options: Ising of Ising~T=2.3.
func NameOf(rule string) string {
	name, _ := cutOptions(rule)
	return name
}

// parameterOf returns what a notation sets a parameter to: 2.3 for T of Ising~T=2.3.
func parameterOf(rule, parameter string) (value float64, ok bool) {
	_, options := cutOptions(rule)
	for _, o := range options {
		if name, v, ok := number(o); ok && name == parameter {
			return v, true
		}
	}
	return 0, false
}

// without is a notation without a parameter.
func without(rule, parameter string) string {
	name, options := cutOptions(rule)
	options = slices.DeleteFunc(options, func(o string) bool { return strings.HasPrefix(o, parameter+"=") })
	return strings.TrimSuffix(name+"~"+strings.Join(options, ","), "~")
}

// parametersOf lists the parameters of some notations.
func parametersOf(notations []string) []string {
	var names []string
	for _, r := range notations {
		_, options := cutOptions(r)
		for _, o := range options {
			if name, _, ok := number(o); ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// OfStart is before the names of parameters of starts, to tell them from those of rules: start_length of
// gauss~length=8.
const OfStart = "start_"

// Notations are those in which numbers may differ from place to place.
type Notations struct {
	Rule  string // Ising~T=2.3
	Start string // the first cells, such as gauss~length=8
}

// Parameter returns the value of a parameter: T of the rule, or start_length.
func (n Notations) Parameter(name string) (value float64, ok bool) {
	if of, isStart := strings.CutPrefix(name, OfStart); isStart {
		return parameterOf(n.Start, of)
	}
	return parameterOf(n.Rule, name)
}

// Without is the same without a parameter.
func (n Notations) Without(name string) Notations {
	if of, isStart := strings.CutPrefix(name, OfStart); isStart {
		n.Start = without(n.Start, of)
	} else {
		n.Rule = without(n.Rule, name)
	}
	return n
}

// Parameters lists the parameters of some notations: those of rules, then those of starts.
func Parameters(all []Notations) []string {
	var rules, starts []string
	for _, n := range all {
		rules, starts = append(rules, n.Rule), append(starts, n.Start)
	}
	names := parametersOf(rules)
	for _, name := range parametersOf(starts) {
		names = append(names, OfStart+name)
	}
	return names
}
