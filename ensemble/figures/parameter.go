package figures

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
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

// parameterOf returns what a rule's notation sets a parameter to: 2.3 for T of Ising~T=2.3.
func parameterOf(rule, parameter string) (value float64, ok bool) {
	_, options := cutOptions(rule)
	for _, o := range options {
		if name, v, ok := number(o); ok && name == parameter {
			return v, true
		}
	}
	return 0, false
}

// parametersOf lists the parameters of some rules.
func parametersOf(rules []string) []string {
	var names []string
	for _, r := range rules {
		_, options := cutOptions(r)
		for _, o := range options {
			if name, _, ok := number(o); ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// parameter is the dimension of a parameter that all places have.
func parameter(name string, places []ensemble.Place) *dimension {
	label := name
	if of := nameOf(places[0]); !slices.ContainsFunc(places, func(p ensemble.Place) bool { return nameOf(p) != of }) {
		label += " of " + of
	}
	return &dimension{
		name, label,
		func(p ensemble.Place) float64 {
			v, _ := parameterOf(p.Rule, name)
			return v
		},
		func(p ensemble.Place) ensemble.Place {
			rule, options := cutOptions(p.Rule)
			options = slices.DeleteFunc(options, func(o string) bool { return strings.HasPrefix(o, name+"=") })
			p.Rule = strings.TrimSuffix(rule+"~"+strings.Join(options, ","), "~")
			return p
		},
	}
}

func nameOf(p ensemble.Place) string {
	name, _ := cutOptions(p.Rule)
	return name
}

// rulesOf lists the rules of all tables that are drawn.
func rulesOf(d ensemble.Data) []string {
	seen := map[string]bool{}
	var rules []string
	rules = appendRules(rules, seen, d.Summary)
	rules = appendRules(rules, seen, d.Clusters)
	rules = appendRules(rules, seen, d.Census)
	rules = appendRules(rules, seen, d.Survival)
	return appendRules(rules, seen, d.Lifespans)
}

func appendRules[T ensemble.Row](rules []string, seen map[string]bool, rows []T) []string {
	for _, row := range rows {
		if r := row.At().Rule; !seen[r] {
			rules, seen[r] = append(rules, r), true
		}
	}
	return rules
}
