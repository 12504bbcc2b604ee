package census

import (
	"bufio"
	"cmp"
	"crypto/md5"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/internal/background"
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
	if r.BirthOnEmpty() {
		return catagolueRuleWithB0(r)
	}
	for _, n := range notations() {
		if text := r.String(); !r.Random() && n.from.MatchString(text) {
			return strings.ToLower(n.from.ReplaceAllString(text, n.to)), nil
		}
	}
	if name, ok := wideName(r); ok {
		return name, nil
	}
	return "", fmt.Errorf("--report: Catagolue has no name for rule %v", r)
}

// withB0 are the rules with B0 that Catagolue names.
var withB0 = regexp.MustCompile("^B(0[1-8]*)/S([0-7]*)$")

// catagolueRuleWithB0 is catagolueRule for a rule with B0. apgsearch's library has those of Moore's neighbourhood that
// count all neighbours alike, without S8.
func catagolueRuleWithB0(r rule.Rule) (string, error) {
	if text := r.String(); withB0.MatchString(text) {
		return withB0.ReplaceAllString(text, "b${1}s${2}"), nil
	}
	if other, ok := background.Complement(r); ok && r.SurvivesFull() {
		return "", fmt.Errorf("--report: Catagolue has no name for rule %v; %v has the same objects", r, other)
	}
	return "", fmt.Errorf("--report: Catagolue has no name for rule %v", r)
}

// mostHexRadius is the largest radius of rules that Catagolue names by hexadecimal numbers.
const mostHexRadius = 5

// wideName returns the name of a rule that counts a Moore neighbourhood of radius 2 or more: r5b34t45s34t58 for Larger
// than Life, which counts the centre, r2b1e7108s3e7c80 for lists of counts, and g3r… for three states.
func wideName(r rule.Rule) (name string, ok bool) {
	hood := r.Neighbourhood
	if r.Kind() != rule.KindCounting || hood.Letter != 'M' || hood.Radius < 2 || hood.Volume || r.StateWeights != nil {
		return "", false
	}
	if r.States > 2 {
		name = fmt.Sprintf("g%d", r.States)
	}
	b, s := r.Birth, r.Survival
	switch {
	case r.Family == rule.LargerThanLife && len(b) == 1 && len(s) == 1:
		name += fmt.Sprintf("r%db%dt%ds%dt%d", hood.Radius, b[0].Lo, b[0].Hi, s[0].Lo+1, s[0].Hi+1)
	case hood.Radius <= mostHexRadius:
		name += fmt.Sprintf("r%db%ss%s", hood.Radius, hexCounts(b, hood.Radius), hexCounts(s, hood.Radius))
		if s.Has(0) {
			name += "z"
		}
	default:
		return "", false
	}
	return name, true
}

// hexCounts writes counts as a hexadecimal number of which bit k stands for k+1 neighbours.
func hexCounts(c rule.Counts, radius int) string {
	digits := make([]byte, radius*(radius+1))
	for i := range digits {
		value := 0
		for bit := range 4 {
			if c.Has(4*(len(digits)-1-i) + bit + 1) {
				value |= 1 << bit
			}
		}
		digits[i] = "0123456789abcdef"[value]
	}
	return string(digits)
}

// reported is a row of a report.
type reported struct {
	code  string
	count uint64
	soups []uint64 // the numbers of some in which it occurs
}

// reportedOf lists the objects and the bins of a census as apgsearch does: the commonest first.
func reportedOf(r *census.Result) (rows []reported) {
	for _, n := range r.Counts {
		rows = append(rows, reported{n.Code, n.Count, []uint64{n.First}})
	}
	for _, b := range r.Notable.Bins {
		rows = append(rows, reported{b.Code, b.Count, b.Soups})
	}
	slices.SortStableFunc(rows, func(a, b reported) int { return cmp.Compare(b.count, a.count) })
	return rows
}

// writeReport writes a census as text in the form in which apgsearch saves and sends it: the numbers of objects, and
// for each object soups in which it occurs. Bins of soups count as objects, as they do there. The names of the parts
// are those of apgsearch's logs. Nothing is sent.
func writeReport(w io.Writer, s *census.Search, r *census.Result, name string) error {
	rows, objects := reportedOf(r), r.Objects
	for _, b := range r.Notable.Bins {
		objects += b.Count
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "@VERSION gosper-%s\n@MD5 %x\n@ROOT %s\n@RULE %s\n@SYMMETRY %v\n@NUM_SOUPS %d\n@NUM_OBJECTS %d\n",
		result.ThisBuild().Version, md5.Sum([]byte(s.Root)), s.Root, name, s.Symmetry, r.Soups, objects)
	fmt.Fprint(out, "\n@CENSUS TABLE\n")
	for _, row := range rows {
		fmt.Fprintf(out, "%s %d\n", row.code, row.count)
	}
	fmt.Fprint(out, "\n@SAMPLE_SOUPIDS\n")
	for _, row := range rows {
		fmt.Fprint(out, row.code)
		for _, soup := range row.soups {
			fmt.Fprintf(out, " %d", soup)
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}
