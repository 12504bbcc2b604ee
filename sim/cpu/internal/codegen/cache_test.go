package codegen

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// TestKeyHasAllOfAnOp checks that different ops have different keys.
func TestKeyHasAllOfAnOp(t *testing.T) {
	seen := map[string]string{string(appendOp(nil, &rowprog.Op{})): "nothing"}
	var change func(op *rowprog.Op, field reflect.Value, name string)
	change = func(op *rowprog.Op, field reflect.Value, name string) {
		switch field.Kind() {
		case reflect.Struct:
			for i := range field.NumField() {
				change(op, field.Field(i), name+"."+field.Type().Field(i).Name)
			}
			return
		case reflect.Array:
			for i := range field.Len() {
				change(op, field.Index(i), fmt.Sprintf("%s[%d]", name, i))
			}
			return
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Uint8:
			field.SetUint(200)
		default:
			field.SetInt(-300)
		}
		text := string(appendOp(nil, op))
		if other, ok := seen[text]; ok {
			t.Errorf("a change of %s and one of %s have the same text", name, other)
		}
		seen[text] = name
		field.SetZero()
	}
	var op rowprog.Op
	change(&op, reflect.ValueOf(&op).Elem(), "Op")
	if len(seen) < 13 {
		t.Errorf("only %d fields of an op were changed", len(seen)-1)
	}
}

// TestKeyHasAllOfAProgram checks that a change of any number of a program, of its layout or of its halo changes the
// key, and that lists are told apart.
func TestKeyHasAllOfAProgram(t *testing.T) {
	p := rowprog.Program{
		Given: make([]circuit.Parity, 1), Chances: make([]circuit.Chance, 1), Streams: make([]rowprog.Stream, 1),
		Stores: make([]rowprog.Store, 1), Out: make([]rowprog.Operand, 1),
	}
	l := layout.Layout{}
	halo := []layout.Move{{Mask: make([]uint64, 1)}}
	shifts := map[int]int{1: 2}
	seen := map[codeKey]string{}
	look := func(change string) {
		key := keyOf(AVX2, &p, &l, halo, shifts)
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have the same key", change, other)
		}
		seen[key] = change
	}
	look("nothing")
	var change func(v reflect.Value, name string)
	change = func(v reflect.Value, name string) {
		kept := reflect.ValueOf(v.Interface())
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				change(v.Field(i), name+"."+v.Type().Field(i).Name)
			}
			return
		case reflect.Slice:
			for i := range v.Len() {
				change(v.Index(i), fmt.Sprintf("%s[%d]", name, i))
			}
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Uint8, reflect.Uint64:
			v.SetUint(200)
		default:
			v.SetInt(-300)
		}
		look(name)
		v.Set(kept)
	}
	change(reflect.ValueOf(&p).Elem(), "Program")
	change(reflect.ValueOf(&l).Elem(), "Layout")
	change(reflect.ValueOf(&halo).Elem(), "halo")
	shifts[1] = 3
	look("another shift")
	shifts = map[int]int{1: 2, 3: 4}
	look("two shifts")
	if len(seen) < 45 {
		t.Errorf("only %d keys were compared", len(seen))
	}
}

func TestCodeIsSharedAndFreed(t *testing.T) {
	if Fastest() == Portable {
		t.Skip("no machine code here")
	}
	held := func() int {
		codes.Lock()
		defer codes.Unlock()
		return len(codes.held)
	}
	settle := func(want int) { // the collector frees programs on a goroutine of its own
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); held() > want; time.Sleep(time.Millisecond) {
			if runtime.GC(); time.Now().After(end) {
				t.Fatalf("%d programs are held, want %d", held(), want)
			}
		}
	}
	settle(0) // there is no kernel yet
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	var kernels [3]*Machine
	var l layout.Layout
	for i := range kernels {
		p := compile.Columns(circuit.Of(r))
		l = layout.New(300, 300, Fastest().Lanes(), 1, p.Radius())
		if kernels[i], err = NewMachine(Fastest(), p, &l, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if held() != 1 {
		t.Errorf("%d programs are held for kernels that are alike, want 1", held())
	}
	for range 10 { // must not free what is in use
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	var rows [][]uint64
	for range kernels[0].RowPointers() - 1 {
		rows = append(rows, layout.AlignedWords(l.Stride))
	}
	for _, k := range kernels {
		k.Run(rows, nil, 0, l.Vectors, true)
	}
	clear(kernels[:])
	settle(0)
}
