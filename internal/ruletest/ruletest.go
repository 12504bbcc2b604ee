// Package ruletest draws random rules of every family for property tests. Radii are small, so that brute force
// can check them. Most rules have two states, some up to 256. None has a bounded-grid suffix. Some are B0
// rules.
package ruletest

import (
	"encoding/base64"
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/rule"
)

// maxRadius is the largest radius drawn.
const maxRadius = 4

// Gen draws a rule of any family.
func Gen() *rapid.Generator[rule.Rule] {
	return rapid.OneOf(OuterTotalistic(), Isotropic(), MAP(), LargerThanLife(), HROT(), Custom(), Weighted(), Marked(),
		Extended(), Destructive(), Blocks(), Partitioned(), Alternating(), Triangles(), Wolfram())
}

// Blocks draws rules of 2×2 blocks like M0,8,4,3,….
func Blocks() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule { return parse(t, "M"+drawTable(t)) })
}

// Partitioned draws rules like 2PCA4,0,4,8,3,….
func Partitioned() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule { return parse(t, "2PCA4,"+drawTable(t)) })
}

// drawTable draws 16 numbers from 0 to 15, with commas between them.
func drawTable(t *rapid.T) string {
	next := rapid.SliceOfN(rapid.IntRange(0, 15), 16, 16).Draw(t, "next")
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(next)), ","), "[]")
}

// Triangles draws rules like B45/S34L, R2,C0,S..,B..,NL and N@…L, Generations included.
func Triangles() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule {
		switch rapid.IntRange(0, 3).Draw(t, "notation") {
		case 0:
			return drawLists(t, drawHead(t, rapid.IntRange(1, 2).Draw(t, "radius")), "NL")
		case 1:
			radius := rapid.IntRange(1, 2).Draw(t, "radius")
			return drawLists(t, drawHead(t, radius), "N@"+drawHex(t, radius*(radius+1))+"L")
		case 2:
			radius := rapid.IntRange(1, 2).Draw(t, "radius")
			return drawLists(t, drawHead(t, radius), "NW"+drawHex(t, (2*radius+1)*(2*radius+1))+"L")
		}
		numerals := map[string]string{
			"L": "0123456789XYZ", "LE": "0123", "LV": "0123456789", "LI": "0123456", "LO": "0123456", "LB": "0123456789",
			"LR": "0123",
		}
		suffix := rapid.SampledFrom([]string{"L", "LE", "LV", "LI", "LO", "LB", "LR"}).Draw(t, "neighbourhood")
		birth, survival := drawSubset(t, numerals[suffix], "birth"), drawSubset(t, numerals[suffix], "survival")
		return parse(t, fmt.Sprintf("B%s/S%s/%d%s", birth, survival, drawStates(t), suffix))
	})
}

// Alternating draws two to four rules of the 3×3 block that take turns.
func Alternating() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule {
		states := drawStates(t)
		parts := make([]string, rapid.IntRange(2, 4).Draw(t, "rules"))
		for i := range parts {
			parts[i] = fmt.Sprintf("B%s/S%s/%d", drawLetters(t, henselLetters[:], "birth"),
				drawSubset(t, "012345678", "survival"), states)
		}
		return parse(t, strings.Join(parts, "|"))
	})
}

// OuterTotalistic draws rules like B3/S23, including V, H and Generations.
func OuterTotalistic() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule {
		suffix := rapid.SampledFrom([]string{"", "V", "H"}).Draw(t, "suffix")
		digits := map[string]string{"": "012345678", "V": "01234", "H": "0123456"}[suffix]
		birth, survival := drawSubset(t, digits, "birth"), drawSubset(t, digits, "survival")
		return parse(t, fmt.Sprintf("B%s/S%s/%d%s", birth, survival, drawStates(t), suffix))
	})
}

// henselLetters are the letters of the counts from 0.
var henselLetters = [9]string{
	"", "ce", "aceikn", "aceijknqry", "aceijknqrtwyz", "aceijknqry", "aceikn", "ce", "",
}

// Extended draws rules like B2/S345/D1-2-1.
func Extended() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule {
		r := rapid.OneOf(OuterTotalistic(), Isotropic()).Filter(func(r rule.Rule) bool { return r.States == 2 }).Draw(t, "R")
		ages := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 6).Draw(t, "ages")
		return parse(t, fmt.Sprintf("%s/D%s-1", r, strings.Trim(strings.ReplaceAll(fmt.Sprint(ages), " ", "-"), "[]")))
	})
}

// Destructive draws rules like B2/S23/F0/K1/L2.
func Destructive() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule {
		text := ""
		for _, letter := range "BSFKL" {
			text += "/" + string(letter)
			for n := range 9 {
				if (n > 0 || letter != 'B') && rapid.Bool().Draw(t, "count") {
					text += fmt.Sprint(n)
				}
			}
		}
		return parse(t, text[1:])
	})
}

// hexagonalLetters are Callahan's.
var hexagonalLetters = [9]string{2: "omp", 3: "omp", 4: "omp"}

// Isotropic draws rules like B3/S2-i34q and B2o/S2m34H, Generations included. Some turn out to be outer-totalistic.
func Isotropic() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule {
		letters, most, suffix := henselLetters, 8, ""
		if rapid.Bool().Draw(t, "hexagonal") {
			letters, most, suffix = hexagonalLetters, 6, "H"
		}
		birth, survival := drawLetters(t, letters[:most+1], "birth"), drawLetters(t, letters[:most+1], "survival")
		return parse(t, fmt.Sprintf("B%s/S%s/%d%s", birth, survival, drawStates(t), suffix))
	})
}

// Marked draws rules like B3/S23Super, of every kind of marks.
func Marked() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule {
		r := rapid.OneOf(OuterTotalistic(), Isotropic(), MAP()).Filter(func(r rule.Rule) bool {
			return r.States == 2
		}).Draw(t, "R")
		return parse(t, r.String()+rapid.SampledFrom([]string{"History", "Super", "Investigator"}).Draw(t, "marks"))
	})
}

// drawLetters draws a set in isotropic notation: numbers of neighbours, each with some of its letters,
// or with a minus and those that are excluded.
func drawLetters(t *rapid.T, byCount []string, name string) string {
	var b strings.Builder
	for n, letters := range byCount {
		subset := drawSubset(t, letters, name)
		if letters == "" && rapid.Bool().Draw(t, name) {
			fmt.Fprint(&b, n)
		}
		if subset == "" {
			continue
		}
		minus := rapid.SampledFrom([]string{"", "-"}).Draw(t, "minus")
		fmt.Fprint(&b, n, minus, subset)
	}
	return b.String()
}

// MAP draws tables of 512, 128 and 32 bits, with any number of states.
func MAP() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule {
		size := rapid.SampledFrom([]int{64, 16, 4}).Draw(t, "bytes")
		bits := rapid.SliceOfN(rapid.Byte(), size, size).Draw(t, "bits")
		return parse(t, fmt.Sprintf("MAP%s/%d", base64.RawStdEncoding.EncodeToString(bits), drawStates(t)))
	})
}

// Wolfram draws W0 to W255.
func Wolfram() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule {
		return parse(t, fmt.Sprintf("W%d", rapid.IntRange(0, 255).Draw(t, "number")))
	})
}

// LargerThanLife draws rules like R5,C0,M1,S34..58,B34..45,NM, with any letter except G, @ and W.
func LargerThanLife() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule {
		head, hood := drawShape(t)
		m := rapid.IntRange(0, 1).Draw(t, "M")
		_, size := countRange(t, head, hood)
		birth, survival := drawInterval(t, 0, size+m, "birth"), drawInterval(t, 0, size+m, "survival")
		return parse(t, fmt.Sprintf("%s,M%d,S%d..%d,B%d..%d,%s", head, m, survival.Lo, survival.Hi, birth.Lo, birth.Hi, hood))
	})
}

// HROT draws rules like R2,C2,S8,11-15,B4,9, with any letter except @ and W.
func HROT() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule {
		head, hood := drawShape(t)
		if rapid.IntRange(0, 5).Draw(t, "gaussian") == 0 {
			hood = "NG"
		}
		return drawLists(t, head, hood)
	})
}

// Custom draws rules with an N@ neighbourhood.
func Custom() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule {
		radius := drawRadius(t)
		return drawLists(t, drawHead(t, radius), "N@"+drawHex(t, radius*(radius+1)))
	})
}

// Weighted draws rules with an NW neighbourhood: positive and negative weights of one or two digits, with or without
// weights of states.
func Weighted() *rapid.Generator[rule.Rule] {
	return rapid.Custom(func(t *rapid.T) rule.Rule {
		radius, states := drawRadius(t), drawStates(t)
		digits := (2*radius + 1) * (2*radius + 1) * rapid.IntRange(1, 2).Draw(t, "digits a cell")
		hood := "NW" + drawHex(t, digits)
		if rapid.Bool().Draw(t, "state weights") {
			hood += "," + drawHex(t, states)
		}
		return drawLists(t, fmt.Sprintf("R%d,C%d", radius, states), hood)
	})
}

// drawShape is the head of a rule and the letter of its neighbourhood.
func drawShape(t *rapid.T) (head, hood string) {
	letter := rapid.SampledFrom(strings.Split("MNC2BD+X*#HA3", "")).Draw(t, "letter")
	return drawHead(t, drawRadius(t)), "N" + letter
}

func drawHead(t *rapid.T, radius int) string { return fmt.Sprintf("R%d,C%d", radius, drawStates(t)) }

// drawLists completes a rule with lists of counts that its neighbourhood can have.
func drawLists(t *rapid.T, head, hood string) rule.Rule {
	lo, hi := countRange(t, head, hood)
	draw := func(name string) string {
		intervals := make([]rule.Interval, rapid.IntRange(0, 4).Draw(t, name+" intervals"))
		for i := range intervals {
			intervals[i] = drawInterval(t, lo, hi, name)
		}
		return rule.NewCounts(intervals...).String()
	}
	return parse(t, fmt.Sprintf("%s,S%s,B%s,%s", head, draw("survival"), draw("birth"), hood))
}

func countRange(t *rapid.T, head, hood string) (lo, hi int) {
	return parse(t, head+",S,B,"+hood).CountRange()
}

func drawInterval(t *rapid.T, lo, hi int, name string) rule.Interval {
	a, b := rapid.IntRange(lo, hi).Draw(t, name+" from"), rapid.IntRange(lo, hi).Draw(t, name+" to")
	return rule.Interval{Lo: min(a, b), Hi: max(a, b)}
}

func drawRadius(t *rapid.T) int { return rapid.IntRange(1, maxRadius).Draw(t, "radius") }

func drawStates(t *rapid.T) int {
	return rapid.OneOf(rapid.Just(2), rapid.Just(2), rapid.IntRange(3, 8), rapid.IntRange(9, 256)).Draw(t, "states")
}

func drawHex(t *rapid.T, digits int) string {
	runes := rapid.SampledFrom([]rune("0123456789abcdef"))
	return rapid.StringOfN(runes, digits, digits, -1).Draw(t, "hex")
}

// drawSubset keeps some of the characters, in their order.
func drawSubset(t *rapid.T, characters, name string) string {
	mask := rapid.IntRange(0, 1<<len(characters)-1).Draw(t, name)
	var b strings.Builder
	for i := range len(characters) {
		if mask>>i&1 == 1 {
			b.WriteByte(characters[i])
		}
	}
	return b.String()
}

func parse(t *rapid.T, s string) rule.Rule {
	r, err := rule.Parse(s)
	if err != nil {
		t.Fatalf("drawn rule: %v", err)
	}
	return r
}
