package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// jsonLinesWriter writes one object on each line.
type jsonLinesWriter[T any] struct {
	out     *bufio.Writer
	encoder *json.Encoder
	more    *Further[T]
	line    bytes.Buffer // that the encoder writes
	written int
}

func newJSONLinesWriter[T any](w io.Writer, more *Further[T]) *jsonLinesWriter[T] {
	j := &jsonLinesWriter[T]{out: bufio.NewWriter(w), more: more}
	j.encoder = json.NewEncoder(&j.line)
	j.encoder.SetEscapeHTML(false)
	return j
}

// write writes an object in each line.
func (w *jsonLinesWriter[T]) write(rows []T) error {
	for i := range rows {
		w.line.Reset()
		if err := w.encoder.Encode(&rows[i]); err != nil {
			return fmt.Errorf("row %d: %w", w.written+1, err)
		}
		if err := w.further(&rows[i]); err != nil {
			return fmt.Errorf("row %d: %w", w.written+1, err)
		}
		if _, err := w.out.Write(w.line.Bytes()); err != nil {
			return err
		}
		w.written++
	}
	return nil
}

// further puts the further columns before the end of the line.
func (w *jsonLinesWriter[T]) further(row *T) error {
	if w.more == nil {
		return nil
	}
	w.line.Truncate(w.line.Len() - len("}\n"))
	model, numbers := w.more.Of(row)
	for k, name := range w.more.names() {
		var value any = model
		if k > 0 {
			value = numbers[k-1]
		}
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		fmt.Fprintf(&w.line, ",%s:%s", key, text)
	}
	w.line.WriteString("}\n")
	return nil
}

func (w *jsonLinesWriter[T]) end() error { return w.out.Flush() }

// readJSONLines reads an object from each line. Empty lines are ignored, unknown keys are errors.
func readJSONLines[T any](r io.Reader) ([]T, error) {
	in := bufio.NewReader(r)
	narrow := !slices.Contains(Columns[T](), Model)
	rows := []T{}
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var row T
			// A text that contains this has its quotes escaped, so it is a key.
			if head, _, found := bytes.Cut(line, []byte(`,"`+Model+`":`)); found && narrow {
				line = append(head, '}')
			}
			decoder := json.NewDecoder(bytes.NewReader(line))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&row); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("line %d: want one object", number)
			}
			rows = append(rows, row)
		}
		if errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, err
		}
	}
}
