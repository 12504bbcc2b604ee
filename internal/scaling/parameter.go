package scaling

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// larger is the notation of a Larger-than-Life rule, whose numbers are parameters with the names in ofLarger. A number
// that without has left out is a *.
var larger = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:3D)?R(\d+|\*),C\d+,M[01],S(\d+|\*)\.\.(\d+|\*),B(\d+|\*)\.\.(\d+|\*),N[^,]*$`)
})

var ofLarger = []string{"radius", "survival_least", "survival_most", "birth_least", "birth_most"}

// largerAt returns the place of a number in the name of a Larger-than-Life rule.
func largerAt(name, parameter string) (begin, end int, ok bool) {
	i, at := slices.Index(ofLarger, parameter), larger().FindStringSubmatchIndex(name)
	if i < 0 || at == nil {
		return 0, 0, false
	}
	return at[2*i+2], at[2*i+3], true
}

// parameterOf returns the value of a parameter in a notation: 2.3 for T of Ising~T=2.3.
func parameterOf(rule, parameter string) (value float64, ok bool) {
	name, options := cutOptions(rule)
	if begin, end, ok := largerAt(name, parameter); ok {
		value, err := strconv.ParseFloat(name[begin:end], 64)
		return value, err == nil
	}
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
	if begin, end, ok := largerAt(name, parameter); ok {
		name = name[:begin] + "*" + name[end:]
	}
	options = slices.DeleteFunc(options, func(o string) bool { return strings.HasPrefix(o, parameter+"=") })
	return strings.TrimSuffix(name+"~"+strings.Join(options, ","), "~")
}

// parametersOf lists the parameters of some notations. The numbers of Larger-than-Life rules are listed if they differ.
func parametersOf(notations []string) []string {
	var names []string
	for _, name := range ofLarger {
		values := map[float64]bool{}
		for _, r := range notations {
			if v, ok := parameterOf(r, name); ok {
				values[v] = true
			}
		}
		if len(values) > 1 {
			names = append(names, name)
		}
	}
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
