package lua

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// position converts a position in a text, which counts from the end if it is negative.
func position(i int64, size int) int {
	switch {
	case i >= 0:
		return int(min(i, int64(size)+2))
	case -i > int64(size):
		return 0
	}
	return size + int(i) + 1
}

func stringFunctions() map[string]func(a arguments) []Value {
	return map[string]func(a arguments) []Value{
		"len":   func(a arguments) []Value { return a.th.one(Int(int64(len(a.text(0))))) },
		"lower": func(a arguments) []Value { return a.th.one(String(mapBytes(a.text(0), 'A', 'Z'))) },
		"upper": func(a arguments) []Value { return a.th.one(String(mapBytes(a.text(0), 'a', 'z'))) },
		"sub": func(a arguments) []Value {
			s := a.text(0)
			from, to := max(position(a.integer(1), len(s)), 1), min(position(a.integerOr(2, -1), len(s)), len(s))
			if from > to {
				return a.th.one(String(""))
			}
			return a.th.one(String(s[from-1 : to]))
		},
		"byte": func(a arguments) []Value {
			s := a.text(0)
			i := a.integerOr(1, 1)
			from, to := max(position(i, len(s)), 1), min(position(a.integerOr(2, i), len(s)), len(s))
			var list []Value
			for ; from <= to; from++ {
				list = append(list, Int(int64(s[from-1])))
			}
			return a.th.many(list)
		},
		"char": func(a arguments) []Value {
			b := make([]byte, a.len())
			for i := range b {
				c := a.integer(i)
				if c < 0 || c > 255 {
					a.bad(i, "value out of range")
				}
				b[i] = byte(c)
			}
			return a.th.one(String(string(b)))
		},
		"rep": func(a arguments) []Value {
			s, n, separator := a.text(0), a.integer(1), a.textOr(2, "")
			if n <= 0 {
				return a.th.one(String(""))
			}
			if size := uint64(len(s) + len(separator)); size > 0 && uint64(n) > math.MaxInt32/size {
				a.th.fail("resulting string too large")
			} else {
				a.th.afford(size * uint64(n))
			}
			return a.th.one(String(strings.Repeat(s+separator, int(n-1)) + s))
		},
		"reverse": func(a arguments) []Value {
			b := []byte(a.text(0))
			for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
				b[i], b[j] = b[j], b[i]
			}
			return a.th.one(String(string(b)))
		},
		"find":   func(a arguments) []Value { return find(a, true) },
		"match":  func(a arguments) []Value { return find(a, false) },
		"gmatch": gmatch,
		"gsub":   gsub,
		"format": func(a arguments) []Value { return a.th.one(String(format(a))) },
	}
}

// mapBytes changes the case of letters from first to last, and of no other bytes.
func mapBytes(s string, first, last byte) string {
	b := []byte(s)
	for i, c := range b {
		if c >= first && c <= last {
			b[i] = c ^ 0x20
		}
	}
	return string(b)
}

func format(a arguments) string {
	text := a.text(0)
	var b strings.Builder
	arg := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		if i++; i < len(text) && text[i] == '%' {
			b.WriteByte('%')
			continue
		}
		from := i
		for i < len(text) && strings.IndexByte("-+ #0", text[i]) >= 0 {
			i++
		}
		for i < len(text) && (isDigit(text[i]) || text[i] == '.') {
			i++
		}
		flags := text[from:i]
		if i == len(text) || len(strings.TrimLeft(flags, "-+ #0")) > 5 || len(flags) > 10 {
			a.th.fail("invalid conversion '%%%s' to 'format'", text[from:min(i+1, len(text))])
		}
		if strings.HasSuffix(flags, ".") {
			flags += "0"
		}
		arg++
		b.WriteString(convert(a, arg, flags, text[i]))
		a.th.afford(uint64(b.Len()))
	}
	return b.String()
}

func convert(a arguments, arg int, flags string, verb byte) string {
	spec := "%" + flags + string(rune(verb))
	switch verb {
	case 'd', 'i':
		return fmt.Sprintf("%"+flags+"d", a.integer(arg))
	case 'u':
		return fmt.Sprintf("%"+flags+"d", uint64(a.integer(arg)))
	case 'x', 'X', 'o':
		return fmt.Sprintf(spec, uint64(a.integer(arg)))
	case 'c':
		return fmt.Sprintf("%"+flags+"s", string([]byte{byte(a.integer(arg))}))
	case 'e', 'E', 'f', 'F', 'g', 'G':
		f := a.number(arg)
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return fmt.Sprintf("%"+strings.ReplaceAll(strings.Split(flags, ".")[0], "0", "")+"s", notFinite(f))
		}
		if verb|0x20 == 'g' && strings.HasSuffix(flags, ".0") && !strings.HasSuffix(flags, "10") {
			spec = "%" + strings.TrimSuffix(flags, "0") + "1" + string(rune(verb))
		} else if verb|0x20 == 'g' && !strings.Contains(flags, ".") {
			spec = "%" + flags + ".6" + string(rune(verb))
		}
		return fmt.Sprintf(spec, f)
	case 'a', 'A':
		return fmt.Sprintf("%"+flags+string(rune('x'-'a'+verb)), a.number(arg))
	case 's':
		return fmt.Sprintf(spec, a.th.display(a.any(arg)))
	case 'q':
		return quote(a, arg)
	}
	a.th.fail("invalid conversion '%s' to 'format'", spec)
	return ""
}

func quote(a arguments, arg int) string {
	v := a.any(arg)
	if !v.isString() {
		if v.Kind() >= KindTable {
			a.th.fail("bad argument #%d to 'format' (value has no literal form)", arg+1)
		}
		return v.printed()
	}
	var b strings.Builder
	b.WriteByte('"')
	s := v.str()
	for i, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\' || c == '\n':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\r':
			b.WriteString(`\13`)
		case c == 0 || c < ' ' || c == 0x7f:
			digits := strconv.Itoa(int(c))
			if i+1 < len(s) && isDigit(s[i+1]) {
				digits = fmt.Sprintf("%03d", c)
			}
			b.WriteString(`\` + digits)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
