package lua

import (
	"math"
	"sort"
	"strings"
)

// length is that of a table, with metamethods.
func (a arguments) length(i int) int64 {
	t := a.table(i)
	if t.meta == nil {
		return int64(t.Len())
	}
	n, ok := a.th.length(t.value(), "").Integer()
	if !ok {
		a.th.fail("object length is not an integer")
	}
	return n
}

func (a arguments) field(t *Table, i int64) Value {
	if t.meta == nil {
		return t.getInt(i)
	}
	return a.th.index(t.value(), Int(i), "")
}

func (a arguments) setField(t *Table, i int64, v Value) {
	if t.meta == nil {
		t.setInt(i, v)
		return
	}
	a.th.setIndex(t.value(), Int(i), v, "")
}

// maxValues is the number of values that a function may be given or may return.
const maxValues = 1_000_000

func tableFunctions() map[string]func(a arguments) []Value {
	return map[string]func(a arguments) []Value{
		"concat": func(a arguments) []Value {
			t := a.table(0)
			separator := a.textOr(1, "")
			from := a.integerOr(2, 1)
			to := int64(0)
			if a.at(3).IsNil() {
				to = a.length(0)
			} else {
				to = a.integer(3)
			}
			var b strings.Builder
			for i := from; i <= to; i++ {
				a.th.tick()
				s, ok := a.field(t, i).Text()
				if !ok {
					a.th.fail("invalid value (at index %d) in table for 'concat'", i)
				}
				b.WriteString(s)
				if i < to {
					b.WriteString(separator)
				} else {
					break // to may be the largest integer
				}
			}
			return a.th.one(String(b.String()))
		},
		"insert": func(a arguments) []Value {
			t := a.table(0)
			end := a.length(0) + 1
			switch a.len() {
			case 2:
				a.setField(t, end, a.at(1))
			case 3:
				at := a.integer(1)
				if at < 1 || at > end {
					a.bad(1, "position out of bounds")
				}
				for i := end; i > at; i-- {
					a.setField(t, i, a.field(t, i-1))
				}
				a.setField(t, at, a.at(2))
			default:
				a.th.fail("wrong number of arguments to 'insert'")
			}
			return nil
		},
		"remove": func(a arguments) []Value {
			t := a.table(0)
			n := a.length(0)
			at := a.integerOr(1, n)
			if a.len() > 1 && n+1 != at && (at < 1 || at > n+1) && !(n == 0 && at == 0) {
				a.bad(1, "position out of bounds")
			}
			v := a.field(t, at)
			for ; at < n; at++ {
				a.setField(t, at, a.field(t, at+1))
			}
			a.setField(t, at, Value{})
			return a.th.one(v)
		},
		"move": func(a arguments) []Value {
			from, first, last, at := a.table(0), a.integer(1), a.integer(2), a.integer(3)
			to := from
			if !a.at(4).IsNil() {
				to = a.table(4)
			}
			if last < first {
				return a.th.one(to.value())
			}
			if first <= 0 && last >= math.MaxInt64+first || at > math.MaxInt64-(last-first) {
				a.bad(2, "too many elements to move")
			}
			if at > last || at <= first || to != from {
				for i := int64(0); i <= last-first; i++ {
					a.th.tick()
					a.setField(to, at+i, a.field(from, first+i))
				}
			} else {
				for i := last - first; i >= 0; i-- {
					a.th.tick()
					a.setField(to, at+i, a.field(from, first+i))
				}
			}
			return a.th.one(to.value())
		},
		"pack": func(a arguments) []Value {
			t := NewTable(a.len())
			t.array = append(t.array, a.values...)
			t.trim()
			t.Set("n", Int(int64(a.len())))
			return a.th.one(t.value())
		},
		"unpack": func(a arguments) []Value {
			from := a.integerOr(1, 1)
			to := int64(0)
			if a.at(2).IsNil() {
				to = a.length(0)
			} else {
				to = a.integer(2)
			}
			if to < from {
				return nil
			}
			if n := to - from; n < 0 || n >= maxValues {
				a.th.fail("too many results to unpack")
			}
			list := make([]Value, 0, to-from+1)
			t := a.at(0).Table()
			for i := from; ; i++ {
				if t != nil {
					list = append(list, a.field(t, i))
				} else {
					list = append(list, a.th.index(a.at(0), Int(i), ""))
				}
				if i == to {
					return a.th.many(list)
				}
			}
		},
		"sort": func(a arguments) []Value {
			t := a.table(0)
			n := a.length(0)
			if n > math.MaxInt32 {
				a.bad(0, "array too big")
			}
			s := &sorter{a: a, compare: a.at(1), list: make([]Value, n)}
			if !s.compare.IsNil() && s.compare.function() == nil {
				a.wrong(1, "function")
			}
			for i := range s.list {
				s.list[i] = a.field(t, int64(i+1))
			}
			sort.Sort(s)
			for i, v := range s.list {
				a.setField(t, int64(i+1), v)
			}
			return nil
		},
	}
}

// sorter sorts values by a function of the program, which may have no sense: sort.Sort ends in any case.
type sorter struct {
	a       arguments
	compare Value
	list    []Value
}

func (s *sorter) Len() int      { return len(s.list) }
func (s *sorter) Swap(i, j int) { s.list[i], s.list[j] = s.list[j], s.list[i] }

func (s *sorter) Less(i, j int) bool {
	th := s.a.th
	if s.compare.IsNil() {
		th.tick()
		return th.less(s.list[i], s.list[j])
	}
	return th.first(th.call(s.compare, []Value{s.list[i], s.list[j]}, "?")).Truth()
}
