package census

import (
	"bufio"
	"crypto/md5"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/internal/result"
	"github.com/gosper-life/gosper/rule"
)

// notations are rules as gosper prints them, and how Catagolue names them.
var notations = sync.OnceValue(func() []struct {
	from *regexp.Regexp
	to   string
} {
	return []struct {
		from *regexp.Regexp
		to   string
	}{
		{regexp.MustCompile(`^B([^/]*)/S([^/]*)$`), "b${1}s${2}"},                          // B3/S23 is b3s23
		{regexp.MustCompile(`^([^/BR]*)/([^/]*)/([0-9]+)([VH]?)$`), "g${3}b${2}s${1}${4}"}, // /2/3 is g3b2s
	}
})

// catagolueRule returns the name that Catagolue gives a rule.
func catagolueRule(r rule.Rule) (string, error) {
	for _, n := range notations() {
		if text := r.String(); !r.Random() && n.from.MatchString(text) {
			return strings.ToLower(n.from.ReplaceAllString(text, n.to)), nil
		}
	}
	return "", fmt.Errorf("--report: Catagolue has no name for rule %v", r)
}

// writeReport writes a census as text in the form in which apgsearch saves and sends it: the numbers of objects, and
// for each object a soup in which it occurs. The names of the parts are those of apgsearch's logs. Nothing is sent.
func writeReport(w io.Writer, s *census.Search, r *census.Result, name string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "@VERSION gosper-%s\n@MD5 %x\n@ROOT %s\n@RULE %s\n@SYMMETRY %v\n@NUM_SOUPS %d\n@NUM_OBJECTS %d\n",
		result.ThisBuild().Version, md5.Sum([]byte(s.Root)), s.Root, name, s.Symmetry, r.Soups, r.Objects)
	fmt.Fprint(out, "\n@CENSUS TABLE\n")
	for _, n := range r.Counts {
		fmt.Fprintf(out, "%s %d\n", n.Code, n.Count)
	}
	fmt.Fprint(out, "\n@SAMPLE_SOUPIDS\n")
	for _, n := range r.Counts {
		fmt.Fprintf(out, "%s %d\n", n.Code, n.First)
	}
	return out.Flush()
}
