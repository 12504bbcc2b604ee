// Package shell writes arguments as a POSIX shell reads them.
package shell

import (
	"regexp"
	"strings"
)

// Join joins arguments to a line that a POSIX shell splits into the same arguments.
func Join(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = Quote(arg)
	}
	return strings.Join(quoted, " ")
}

// plainWord is what no shell touches.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Quote is an argument as a word that a POSIX shell takes for it.
func Quote(arg string) string {
	if plainWord.MatchString(arg) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
