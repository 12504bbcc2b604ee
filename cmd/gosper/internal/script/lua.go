package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/gosper-life/gosper/internal/lua"
)

// runLua runs a script in Lua. Its functions come from golly().
func (s *Stage) runLua(ctx context.Context, path string, source []byte, out io.Writer, memory uint64) error {
	state := lua.New(lua.Options{
		Out: out, Memory: memory, Open: s.files.open, Find: s.files.module, Read: s.files.read,
		Seed: s.random.Uint64(),
	})
	table := lua.NewTable(0)
	for name := range functions() {
		table.Set(name, state.Function(name, func(args []lua.Value) ([]lua.Value, error) { return s.callLua(name, args) }))
	}
	for name := range refused() {
		table.Set(name, state.Function(name, func([]lua.Value) ([]lua.Value, error) {
			_, err := s.Call(name, nil)
			return nil, lua.Halt(err)
		}))
	}
	state.Global("golly", state.Function("golly", func([]lua.Value) ([]lua.Value, error) {
		return []lua.Value{table.Value()}, nil
	}))
	err := state.Run(ctx, filepath.Base(path), string(source))
	if errors.Is(err, lua.ErrExit) {
		return nil
	}
	return err
}

// callLua calls a function of Golly.
func (s *Stage) callLua(name string, args []lua.Value) ([]lua.Value, error) {
	list := make([]any, len(args))
	for i, arg := range args {
		v, err := fromLua(arg)
		if err != nil {
			return nil, fmt.Errorf("%s: argument %d: %w", name, i+1, err)
		}
		list[i] = v
	}
	results, err := s.Call(name, list)
	if err != nil {
		if s.ctx.Err() != nil {
			err = lua.Halt(context.Cause(s.ctx))
		}
		return nil, err
	}
	values := make([]lua.Value, len(results))
	for i, r := range results {
		values[i] = toLua(r)
	}
	return values, nil
}

func fromLua(v lua.Value) (any, error) {
	switch v.Kind() {
	case lua.KindNil:
		return nil, nil
	case lua.KindBool:
		return v.Truth(), nil
	case lua.KindInt:
		n, _ := v.Integer()
		return int(n), nil
	case lua.KindFloat:
		f, _ := v.Number()
		return f, nil
	case lua.KindString:
		s, _ := v.Text()
		return s, nil
	case lua.KindTable:
		list, ok := v.Table().Ints()
		if !ok {
			return nil, fmt.Errorf("item %d of the array is no integer", len(list)+1)
		}
		return list, nil
	}
	return nil, fmt.Errorf("want no %s", v.Type())
}

func toLua(v any) lua.Value {
	switch v := v.(type) {
	case bool:
		return lua.Bool(v)
	case int:
		return lua.Int(int64(v))
	case float64:
		return lua.Float(v)
	case string:
		return lua.String(v)
	case []int:
		return lua.Ints(v)
	case []string:
		t := lua.NewTable(len(v))
		for _, s := range v {
			t.Append(lua.String(s))
		}
		return t.Value()
	}
	return lua.Value{}
}
