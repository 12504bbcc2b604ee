package lua

import "slices"

// Table is a table of Lua: the values of the keys 1, 2, 3 … in an array, and all others in the order in which they
// came. Maps lead from keys to entries:
//
//	array     value of 1, of 2, of 3, …
//	entries   key and value, key and value, …
//	byText    "x" → number of an entry; strings have a map of their own, because two equal strings are different Values
//	byValue   other keys → number of an entry
type Table struct {
	head
	array []Value
	// entries are the others; an entry whose value is nil stays until the table grows, so that a traversal may remove the
	// entries that it meets
	entries []entry
	byText  map[string]int32
	byValue map[Value]int32
	dead    int
	meta    *Table
}

type entry struct{ key, value Value }

// NewTable returns an empty table with room for so many values in its array.
func NewTable(room int) *Table {
	t := &Table{head: head{KindTable}}
	if room > 0 {
		t.array = make([]Value, 0, room)
	}
	return t
}

// Value returns the table as a value.
func (t *Table) Value() Value { return t.value() }

// Ints returns a new table with an array of integers.
func Ints(list []int) Value {
	t := NewTable(len(list))
	for _, n := range list {
		t.array = append(t.array, Int(int64(n)))
	}
	return t.value()
}

// Ints returns the array of the table as integers. If a value is not an integer, ok is false and its key is the length
// of the list plus 1.
func (t *Table) Ints() (list []int, ok bool) {
	list = make([]int, 0, t.Len())
	for i := range t.Len() {
		v := t.At(i + 1)
		n := v.asInt()
		if v.ref != isInt {
			if n, ok = v.Integer(); !ok {
				return list, false
			}
		}
		list = append(list, int(n))
	}
	return list, true
}

// Append adds a value, which must not be nil, at the end of the array.
func (t *Table) Append(v Value) { t.setInt(int64(len(t.array)+1), v) }

// Len is the length of the table as the operator # returns it without metamethods.
func (t *Table) Len() int {
	if n := len(t.array); n > 0 || len(t.entries) == 0 {
		return n
	}
	n := int64(0)
	for !t.getInt(n + 1).IsNil() {
		n++
	}
	return int(n)
}

// At returns the value with an integer as its key.
func (t *Table) At(i int) Value { return t.getInt(int64(i)) }

// Get returns the value with a string as its key.
func (t *Table) Get(key string) Value {
	if i, ok := t.byText[key]; ok {
		return t.entries[i].value
	}
	return Value{}
}

func (t *Table) getInt(i int64) Value {
	if uint64(i-1) < uint64(len(t.array)) {
		return t.array[i-1]
	}
	if t.byValue == nil {
		return Value{}
	}
	if j, ok := t.byValue[Int(i)]; ok {
		return t.entries[j].value
	}
	return Value{}
}

// get returns the value of any key without metamethods.
func (t *Table) get(key Value) Value {
	switch key.Kind() {
	case KindInt:
		return t.getInt(key.asInt())
	case KindString:
		return t.Get(key.str())
	case KindNil:
		return Value{}
	case KindFloat:
		if n, ok := wholeOf(key.asFloat()); ok {
			return t.getInt(n)
		}
	}
	if i, ok := t.byValue[key]; ok {
		return t.entries[i].value
	}
	return Value{}
}

// Set sets the value of a string as a key.
func (t *Table) Set(key string, v Value) { t.setText(String(key), v) }

// setText sets the value of a key that is a string. The value of an entry that exists is replaced in place.
func (t *Table) setText(key, v Value) {
	if i, ok := t.byText[key.str()]; ok {
		t.replace(i, v)
		return
	}
	if v.IsNil() {
		return
	}
	t.tidy()
	if t.byText == nil {
		t.byText = make(map[string]int32)
	}
	t.byText[key.str()] = int32(len(t.entries))
	t.entries = append(t.entries, entry{key, v})
}

// replace gives an entry another value.
func (t *Table) replace(i int32, v Value) {
	was := &t.entries[i].value
	switch {
	case was.IsNil() && !v.IsNil():
		t.dead--
	case !was.IsNil() && v.IsNil():
		t.dead++
	}
	*was = v
}

// setInt sets the value of an integer as a key. The key after the last one of the array makes the array longer.
func (t *Table) setInt(i int64, v Value) {
	n := int64(len(t.array))
	switch {
	case uint64(i-1) < uint64(n):
		t.array[i-1] = v
		if i == n && v.IsNil() {
			t.trim()
		}
		return
	case i == n+1 && !v.IsNil():
		if len(t.array) == cap(t.array) {
			t.array = slices.Grow(t.array, len(t.array)+4)
		}
		t.array = append(t.array, v)
		if t.byValue != nil {
			t.takeOver(i)
		}
		return
	}
	t.setOther(Int(i), v)
}

// trim drops the end of the array that is nil.
func (t *Table) trim() {
	n := len(t.array)
	for n > 0 && t.array[n-1].IsNil() {
		n--
	}
	t.array = t.array[:n]
}

// takeOver moves entries into the array while they have its next keys. i is the last key of the array, which may have
// an entry, too.
func (t *Table) takeOver(i int64) {
	if j, ok := t.byValue[Int(i)]; ok && i > 0 {
		t.replace(j, Value{})
		delete(t.byValue, Int(i))
		t.entries[j].key = Value{}
	}
	for {
		i++
		j, ok := t.byValue[Int(i)]
		if !ok || t.entries[j].value.IsNil() {
			return
		}
		t.array = append(t.array, t.entries[j].value)
		t.replace(j, Value{})
		delete(t.byValue, Int(i))
		t.entries[j].key = Value{}
	}
}

// setOther sets the value of a key that is neither a string nor in the array.
func (t *Table) setOther(key, v Value) {
	if i, ok := t.byValue[key]; ok {
		t.replace(i, v)
		return
	}
	if v.IsNil() {
		return
	}
	t.tidy()
	if t.byValue == nil {
		t.byValue = make(map[Value]int32)
	}
	t.byValue[key] = int32(len(t.entries))
	t.entries = append(t.entries, entry{key, v})
}

// set sets the value of any key, which is neither nil nor a float that is no number, without metamethods.
func (t *Table) set(key, v Value) {
	switch key.Kind() {
	case KindInt:
		t.setInt(key.asInt(), v)
	case KindString:
		t.setText(key, v)
	case KindFloat:
		if n, ok := wholeOf(key.asFloat()); ok {
			t.setInt(n, v)
			return
		}
		t.setOther(key, v)
	default:
		t.setOther(key, v)
	}
}

// tidy drops dead entries before a new one is added, if they are the larger part.
func (t *Table) tidy() {
	if t.dead < 16 || t.dead < len(t.entries)/2 {
		return
	}
	kept := t.entries[:0]
	for _, e := range t.entries {
		switch {
		case !e.value.IsNil():
			if e.key.isString() {
				t.byText[e.key.str()] = int32(len(kept))
			} else {
				t.byValue[e.key] = int32(len(kept))
			}
			kept = append(kept, e)
		case e.key.isString():
			delete(t.byText, e.key.str())
		case !e.key.IsNil():
			delete(t.byValue, e.key)
		}
	}
	clear(t.entries[len(kept):])
	t.entries, t.dead = kept, 0
}

// next returns the key and the value after a key, nil at the end. It returns false if the table does not have the key.
func (t *Table) next(key Value) (k, v Value, ok bool) {
	i := 0 // the place to look at: array first, then entries
	switch key.Kind() {
	case KindNil:
	case KindString:
		j, found := t.byText[key.str()]
		if !found {
			return Value{}, Value{}, false
		}
		i = len(t.array) + int(j) + 1
	default:
		if n, whole := key.Integer(); whole && uint64(n-1) < uint64(len(t.array)) {
			i = int(n)
			break
		} else if whole {
			key = Int(n)
		}
		j, found := t.byValue[key]
		switch {
		case found:
			i = len(t.array) + int(j) + 1
		case key.ref == isInt && key.asInt() > 0 && key.asInt() <= int64(cap(t.array)):
			i = len(t.array) // it has been the last one of the array, and was removed
		default:
			return Value{}, Value{}, false
		}
	}
	for ; i < len(t.array); i++ {
		if !t.array[i].IsNil() {
			return Int(int64(i + 1)), t.array[i], true
		}
	}
	for j := i - len(t.array); j < len(t.entries); j++ {
		if e := t.entries[j]; !e.value.IsNil() {
			return e.key, e.value, true
		}
	}
	return Value{}, Value{}, true
}
