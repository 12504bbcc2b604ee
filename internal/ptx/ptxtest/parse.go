// Package ptxtest runs the PTX text that package ptx writes, on the host, one warp after the other. It lets every
// kernel be tested bit for bit if there is no GPU. It knows the instructions of package ptx and no others, one warp a
// block, and faults on any access outside allocated memory, so it also finds what compute-sanitizer would.
package ptxtest

import (
	"fmt"
	"strconv"
	"strings"
)

const lanes = 32

// Program is one parsed kernel.
type Program struct {
	Name   string
	Params int
	widths []int // bytes of each parameter
	ops    []op
	words  int
	longs  int
	preds  int
}

// operand is a register, an immediate or a parameter.
type operand struct {
	// 'r', 'd', 'p' registers, 'i' immediate, 'v' a vector of r registers, 'm' memory: register + offset, 's'
	// special, 'a' parameter
	kind byte
	n    int
	imm  int64
	regs []int
	name string
	all  *[lanes]uint32 // of an immediate: it, for every lane
}

// op is an instruction. run computes it for the threads of a mask.
type op struct {
	line   string
	code   string // without vector suffix
	guard  int    // predicate register, 0: none
	negate bool
	args   []operand
	target int
	run    func(w *warp, o *op, mask uint32)
}

// Parse reads a module's text.
func Parse(text string) (map[string]*Program, error) {
	programs := map[string]*Program{}
	var p *Program
	labels := map[string]int{}
	type jump struct {
		op    int
		label string
	}
	var jumps []jump
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "//")
		line = strings.TrimSpace(line)
		fail := func(why string) error { return fmt.Errorf("line %d: %s: %q", n+1, why, line) }
		switch {
		case line == "" || line == "{" || strings.HasPrefix(line, ".version") || strings.HasPrefix(line, ".target") ||
			strings.HasPrefix(line, ".address_size") || strings.HasPrefix(line, ".maxntid") ||
			strings.HasPrefix(line, ".minnctapersm") ||
			strings.HasPrefix(line, ".extern .shared"):
		case strings.HasPrefix(line, ".visible .entry "):
			name, params, ok := strings.Cut(strings.TrimPrefix(line, ".visible .entry "), "(")
			if !ok {
				return nil, fail("no parameter list")
			}
			p = &Program{Name: name}
			for _, param := range strings.Split(strings.TrimSuffix(params, ")"), ",") {
				switch {
				case strings.Contains(param, ".u32"):
					p.widths = append(p.widths, 4)
				case strings.Contains(param, ".u64"):
					p.widths = append(p.widths, 8)
				}
			}
			p.Params = len(p.widths)
			programs[name] = p
			labels, jumps = map[string]int{}, nil
		case strings.HasPrefix(line, ".reg"):
			var count int
			if _, err := fmt.Sscanf(line[strings.Index(line, "<"):], "<%d>;", &count); err != nil {
				return nil, fail("bad register declaration")
			}
			switch {
			case strings.Contains(line, ".pred"):
				p.preds = count
			case strings.Contains(line, ".b32"):
				p.words = count
			default:
				p.longs = count
			}
		case strings.HasSuffix(line, ":"):
			labels[strings.TrimSuffix(line, ":")] = len(p.ops)
		case line == "}":
			for _, j := range jumps {
				at, ok := labels[j.label]
				if !ok {
					return nil, fmt.Errorf("no label %s", j.label)
				}
				p.ops[j.op].target = at
			}
		default:
			o, label, err := parseOp(strings.TrimSuffix(line, ";"))
			if err != nil {
				return nil, fail(err.Error())
			}
			if label != "" {
				jumps = append(jumps, jump{len(p.ops), label})
			}
			p.ops = append(p.ops, o)
		}
	}
	return programs, nil
}

var withoutVectors = strings.NewReplacer(".v2.", ".", ".v4.", ".")

// parseOp reads an instruction: a guard, a code and operands. The target of a branch is a label, which
// the caller resolves.
func parseOp(line string) (o op, label string, err error) {
	o.line = line
	if strings.HasPrefix(line, "@") {
		var guard string
		guard, line, _ = strings.Cut(line[1:], " ")
		o.negate = strings.HasPrefix(guard, "!")
		o.guard, err = strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(guard, "!"), "%p"))
		if err != nil {
			return o, "", err
		}
	}
	code, rest, _ := strings.Cut(line, " ")
	o.code = withoutVectors.Replace(code)
	o.run = instructions[o.code]
	if o.run == nil {
		return o, "", fmt.Errorf("unknown instruction %s", o.code)
	}
	if o.code == "bra" || o.code == "bra.uni" {
		return o, strings.TrimSpace(rest), nil
	}
	for _, text := range splitOperands(rest) {
		a, err := parseOperand(text)
		if err != nil {
			return o, "", err
		}
		o.args = append(o.args, a)
	}
	return o, "", nil
}

// splitOperands divides at commas that are not inside brackets.
func splitOperands(s string) []string {
	var parts []string
	depth, start := 0, 0
	for i, c := range s {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if last := strings.TrimSpace(s[start:]); last != "" {
		parts = append(parts, last)
	}
	return parts
}

// parseOperand reads a register, a list of registers, an address, a parameter, a special register or a
// number.
func parseOperand(s string) (operand, error) {
	number := func(s string) (int, error) { return strconv.Atoi(s) }
	switch {
	case strings.HasPrefix(s, "{"):
		a := operand{kind: 'v'}
		for _, r := range strings.Split(strings.Trim(s, "{}"), ",") {
			n, err := number(strings.TrimPrefix(strings.TrimSpace(r), "%r"))
			if err != nil {
				return a, err
			}
			a.regs = append(a.regs, n)
		}
		return a, nil
	case strings.HasPrefix(s, "[a"):
		n, err := number(strings.Trim(s, "[a]"))
		return operand{kind: 'a', n: n}, err
	case strings.HasPrefix(s, "["):
		base, offset, some := strings.Cut(strings.Trim(s, "[]"), "+")
		a, err := parseOperand(base)
		if err == nil && some {
			a.imm, err = strconv.ParseInt(offset, 10, 64)
		}
		a.regs = []int{a.n}
		a.name = string(a.kind)
		a.kind = 'm'
		return a, err
	case strings.HasPrefix(s, "%r") || strings.HasPrefix(s, "%d") || strings.HasPrefix(s, "%p"):
		n, err := number(s[2:])
		return operand{kind: s[1], n: n, regs: []int{n}}, err
	case strings.HasPrefix(s, "%"):
		return operand{kind: 's', name: s[1:]}, nil
	case strings.HasPrefix(s, "shared_"):
		return operand{kind: 'i', all: new([lanes]uint32)}, nil
	}
	v, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		var u uint64
		u, err = strconv.ParseUint(s, 0, 64)
		v = int64(u)
	}
	a := operand{kind: 'i', imm: v, all: new([lanes]uint32)}
	for l := range a.all {
		a.all[l] = uint32(v)
	}
	return a, err
}
