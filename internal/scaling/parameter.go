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

// ParameterOf returns what a rule's notation sets a parameter to: 2.3 for T of Ising~T=2.3.
func ParameterOf(rule, parameter string) (value float64, ok bool) {
	_, options := cutOptions(rule)
	for _, o := range options {
		if name, v, ok := number(o); ok && name == parameter {
			return v, true
		}
	}
	return 0, false
}

// Without is a rule's notation without a parameter.
func Without(rule, parameter string) string {
	name, options := cutOptions(rule)
	options = slices.DeleteFunc(options, func(o string) bool { return strings.HasPrefix(o, parameter+"=") })
	return strings.TrimSuffix(name+"~"+strings.Join(options, ","), "~")
}

// ParametersOf lists the parameters of some rules.
func ParametersOf(rules []string) []string {
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
