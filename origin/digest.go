package origin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/rule"
)

// A rule that was read from a file is only a name in the patterns that are written under it, so these have a digest
// of it in a comment, as in
//
//	#C rule MyRule: digest 5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef
//
// and a pattern is refused if its rule says something else here.

// digestOf is the comment for a rule, without its digest, and the digest. Both are empty if the rule's name
// means the same everywhere.
func digestOf(r rule.Rule) (comment, digest string) {
	if r.File == nil || r.File.IsBuiltIn() {
		return "", ""
	}
	return "rule " + r.File.Name + ": digest ", r.File.Digest()
}

// withDigest returns the comments of a pattern with the digest of its rule.
func withDigest(comments []string, r rule.Rule) []string {
	comment, digest := digestOf(r)
	if digest == "" {
		return comments
	}
	rest := slices.DeleteFunc(slices.Clone(comments), func(c string) bool { return strings.HasPrefix(c, comment) })
	return append(rest, comment+digest)
}

// checkDigest refuses a rule if its digest differs from the digest in the comments of a pattern.
func checkDigest(comments []string, r rule.Rule) error {
	if r.File == nil {
		return nil
	}
	for _, c := range comments {
		if written, ok := strings.CutPrefix(c, "rule "+r.File.Name+": digest "); ok && written != r.File.Digest() {
			return fmt.Errorf(
				"rule %s says something else than when the pattern was written (%s); --rule %[1]s runs it all the same",
				r.File.Name, r.File.Whence())
		}
	}
	return nil
}
