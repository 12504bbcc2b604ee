package names

import "sync"

// Made holds things that were made from their names, because making them again takes long. It forgets all of them when
// there are too many, so that strangers who ask for one name after the other do not fill the memory. The zero value is
// empty.
type Made[V any] struct {
	mu     sync.Mutex
	byName map[string]V
}

// mostMade is the number of things that are held.
const mostMade = 64

// Get returns the thing with a name, or false if it is not held.
func (m *Made[V]) Get(name string) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.byName[name]
	return v, ok
}

// Put holds a thing, unless there is one of its name. It returns the value in the cache.
func (m *Made[V]) Put(name string, v V) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	if held, ok := m.byName[name]; ok {
		return held
	}
	if m.byName == nil || len(m.byName) == mostMade {
		m.byName = map[string]V{}
	}
	m.byName[name] = v
	return v
}
