package circuit

import (
	"encoding/binary"
	"runtime"
	"sync"
	"weak"

	"github.com/gosper-life/gosper/internal/diskcache"
	"github.com/gosper-life/gosper/rule/local"
)

// Circuits of functions take long to find. All are kept in memory while their function is in use, and those of large
// functions also on disk. The cache on disk only returns circuits that this program would also find: the key has the
// program's source revision and the digest of the function.

const (
	keptLeast = 450      // nodes of a diagram whose circuit takes some 50 ms to find
	keptMost  = 16 << 20 // bytes of all circuits that are kept
)

// keptCircuits is the user's cache. It is nil if the source of this program is not known.
var keptCircuits = sync.OnceValue(func() *diskcache.Cache {
	if diskcache.Program() == "" {
		return nil
	}
	return diskcache.User("circuits", ".circuit", keptMost)
})

// ofLocal caches circuits by weak.Pointer[local.Function]. A circuit stays in the cache while its function is in use.
// Nil means that the circuit would be too large. Making one can take seconds.
var ofLocal sync.Map

// localCircuit returns the circuit of a function, or nil if it would be too large.
func localCircuit(f *local.Function) *Circuit {
	of := weak.Make(f)
	if made, ok := ofLocal.Load(of); ok {
		return made.(*Circuit)
	}
	c := keptOr(keptCircuits(), f, func() *Circuit { return found(f) })
	if _, known := ofLocal.Swap(of, c); !known {
		runtime.AddCleanup(f, func(of weak.Pointer[local.Function]) { ofLocal.Delete(of) }, of)
	}
	return c
}

// found is a new circuit of a function; nil: it would be too large.
func found(f *local.Function) *Circuit {
	c, state := inputs(f.States)
	c.local(state, f)
	if c.Out == nil {
		return nil
	}
	return c
}

// keptOr is the circuit of a function that a cache has, or else the one that is found; nil: it would be too large.
func keptOr(cache *diskcache.Cache, f *local.Function, find func() *Circuit) *Circuit {
	if cache == nil || f.Diagram() == nil || f.Outcomes != nil || f.Diagram().Size() < keptLeast {
		return find()
	}
	digest := f.Digest()
	key := diskcache.KeyOf(diskcache.Program(), string(digest[:]))
	if data, ok := cache.Get(key); ok {
		if c, ok := decoded(data, f.States); ok {
			return c
		}
		cache.Drop(key)
	}
	c := find()
	cache.Put(key, encoded(c))
	return c
}

// encoded returns a circuit of tables as bytes; without a circuit it returns no bytes. Inputs come first in a circuit
// and are not written, because they follow from the number of states.
//
//	circuit   number of nodes, inputs included (uvarint)
//	          each table: its byte, then three taps
//	          for each plane of the next state: a tap
//	tap       number of the node (uvarint), column (varint), row (varint)
func encoded(c *Circuit) []byte {
	if c == nil {
		return nil
	}
	tap := func(data []byte, t Tap) []byte {
		data = binary.AppendUvarint(data, uint64(t.Node))
		return binary.AppendVarint(binary.AppendVarint(data, int64(t.DX)), int64(t.DY))
	}
	data := binary.AppendUvarint(nil, uint64(len(c.Nodes)))
	for _, n := range c.Nodes[c.Planes:] {
		data = append(data, n.Imm)
		for _, t := range n.In {
			data = tap(data, t)
		}
	}
	for _, t := range c.Out {
		data = tap(data, t)
	}
	return data
}

// decoded decodes a circuit of a function with the given number of states. ok is false if the bytes do
// not encode a circuit. No bytes say that the function has none, which takes seconds to find out and
// is therefore kept, too.
//
// A file may be damaged or made by somebody else. decoded therefore accepts only taps of earlier nodes
// within the 3×3 block: everything behind it relies on both.
func decoded(data []byte, states int) (c *Circuit, ok bool) {
	if len(data) == 0 {
		return nil, true
	}
	d := decoder{data: data}
	c, _ = inputs(states)
	for nodes := d.number(); len(c.Nodes) < nodes && !d.failed; {
		n := Node{Kind: Table, Imm: d.byte()}
		for k := range n.In {
			n.In[k] = d.tap(len(c.Nodes))
		}
		c.node(n)
	}
	for range c.Planes {
		c.Out = append(c.Out, d.tap(len(c.Nodes)))
	}
	return c, !d.failed && len(d.data) == 0
}

// decoder takes numbers from bytes.
type decoder struct {
	data   []byte
	failed bool
}

func (d *decoder) byte() byte {
	if len(d.data) == 0 {
		d.failed = true
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return b
}

func (d *decoder) number() int {
	n, long := binary.Uvarint(d.data)
	if long <= 0 {
		d.failed = true
		return 0
	}
	d.data = d.data[long:]
	return int(n)
}

// offset is one of a cell of the 3×3 block.
func (d *decoder) offset() int {
	n, long := binary.Varint(d.data)
	if long <= 0 || n < -1 || n > 1 {
		d.failed = true
		return 0
	}
	d.data = d.data[long:]
	return int(n)
}

// tap is one of a node before one with this number.
func (d *decoder) tap(before int) Tap {
	t := Tap{Node: d.number(), DX: d.offset(), DY: d.offset()}
	if t.Node < 0 || t.Node >= before {
		d.failed = true
		t.Node = 0
	}
	return t
}
