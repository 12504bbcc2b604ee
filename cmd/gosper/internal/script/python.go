package script

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed" // the module golly
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

//go:embed golly.py
var gollyModule string

// setting is given to the module golly when it starts.
type setting struct {
	Script    string   `json:"script"`
	Functions []string `json:"functions"`
	Path      []string `json:"path"` // folders of modules
	Read      []string `json:"read"`
	Write     []string `json:"write"`
	Memory    uint64   `json:"memory"` // 0 means no limit
}

// runPython runs a script in a process of Python, whose calls it answers.
func (s *Stage) runPython(ctx context.Context, path string, out io.Writer, memory uint64) error {
	python, err := exec.LookPath(cmp.Or(os.Getenv("GOSPER_PYTHON"), "python3"))
	if err != nil {
		return console.Badf("a script in Python needs python3: %w", err)
	}
	script, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	set := setting{Script: script, Read: s.files.readable, Write: s.files.writable, Memory: memory, Path: []string{}}
	for name := range functions() {
		set.Functions = append(set.Functions, name)
	}
	for name := range refused() {
		set.Functions = append(set.Functions, name)
	}
	slices.Sort(set.Functions)
	if s.files.golly != "" {
		set.Path = append(set.Path, filepath.Join(s.files.golly, "Scripts", "Python"))
	}
	if set.Write == nil {
		set.Write = []string{}
	}
	text, err := json.Marshal(set)
	if err != nil {
		return err
	}
	process := exec.CommandContext(ctx, python, "-E", "-s", "-B", "-c", gollyModule, string(text))
	process.WaitDelay = time.Second
	var complaints tail
	process.Stderr = &complaints
	calls, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	answers, err := process.StdinPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return err
	}
	served := s.serve(calls, answers, out)
	answers.Close()
	if served != nil {
		process.Process.Kill() // it waits for an answer
	}
	err = process.Wait()
	switch {
	case served != nil:
		return served
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && strings.Contains(complaints.last(), "No module named 'glife"):
		return fmt.Errorf("%s: %s", complaints.last(), s.files.whereGlife())
	case err != nil && complaints.last() != "":
		return errors.New(complaints.last())
	}
	return err
}

// serve answers the calls of a script until it ends.
func (s *Stage) serve(calls io.Reader, answers io.Writer, out io.Writer) error {
	lines := bufio.NewReader(calls)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var call []json.RawMessage
		var name string
		var args []any
		if err := json.Unmarshal(line, &call); err != nil || len(call) != 2 {
			return fmt.Errorf("the module golly has written what is no call: %w", err)
		}
		if err := errors.Join(json.Unmarshal(call[0], &name), decode(call[1], &args)); err != nil {
			return fmt.Errorf("the module golly has written what is no call: %w", err)
		}
		answer, err := s.answer(name, args, out)
		if err != nil {
			return err
		}
		if _, err := answers.Write(append(answer, '\n')); err != nil {
			return nil // the process has ended, and says why
		}
	}
}

// decode reads the arguments of a call.
func decode(text []byte, args *[]any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(args); err != nil {
		return err
	}
	for i, arg := range *args {
		v, err := fromJSON(arg)
		if err != nil {
			return err
		}
		(*args)[i] = v
	}
	return nil
}

func fromJSON(v any) (any, error) {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n), nil
		}
		return v.Float64()
	case []any:
		list := make([]int, len(v))
		for i, item := range v {
			n, err := fromJSON(item)
			if err != nil {
				return nil, err
			}
			whole, ok := n.(int)
			if !ok {
				return nil, fmt.Errorf("item %d of a list is no integer", i)
			}
			list[i] = whole
		}
		return list, nil
	}
	return v, nil
}

// answer calls a function and returns the line of the answer. Errors are answers, too, except for those that end the
// script.
func (s *Stage) answer(name string, args []any, out io.Writer) ([]byte, error) {
	if name == "print" {
		text, _ := arguments{name, args}.at(0).(string)
		if _, err := io.WriteString(out, text); err != nil {
			return nil, err
		}
		return []byte("[null]"), nil
	}
	results, err := s.Call(name, args)
	var bad console.BadInput
	switch {
	case err == nil:
		if results == nil {
			results = []any{}
		}
		return json.Marshal([]any{results})
	case errors.Is(err, errAborted):
		return json.Marshal([]any{nil, err.Error(), "exit"})
	case s.ctx.Err() != nil, errors.As(err, &bad), refused()[name] != "":
		return nil, err
	}
	return json.Marshal([]any{nil, err.Error(), "error"})
}

// tail keeps the end of what a process complains about.
type tail struct{ b []byte }

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.b = append(t.b, b...)
	if over := len(t.b) - 1<<16; over > 0 {
		t.b = t.b[over:]
	}
	return len(b), nil
}

// last is the last line, with the place in the script before it.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(string(t.b)), "\n")
	message := strings.TrimSpace(lines[len(lines)-1])
	message = strings.TrimPrefix(strings.TrimPrefix(message, "__main__."), "error: ")
	for _, line := range slices.Backward(lines) {
		words := strings.Split(strings.TrimSpace(line), `"`)
		if len(words) == 3 && words[0] == "File " && words[1] != "<string>" {
			number, _, _ := strings.Cut(strings.TrimPrefix(words[2], ", line "), ",")
			return filepath.Base(words[1]) + ":" + number + ": " + message
		}
	}
	return message
}
