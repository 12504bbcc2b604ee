// Package shell writes arguments as a POSIX shell reads them.
package shell

import "strings"

// Join joins arguments to a line that a POSIX shell splits into the same arguments.
func Join(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = Quote(arg)
	}
	return strings.Join(quoted, " ")
}

// plain has the characters that no shell touches.
const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"

// Quote writes an argument as a word of a POSIX shell, in quotes if it needs them.
func Quote(arg string) string {
	if arg != "" && strings.Trim(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
