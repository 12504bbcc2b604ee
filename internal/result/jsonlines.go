package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// jsonLinesWriter writes one object on each line.
type jsonLinesWriter[T any] struct {
	out     *bufio.Writer
	encoder *json.Encoder
	written int
}

func newJSONLinesWriter[T any](w io.Writer) *jsonLinesWriter[T] {
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return &jsonLinesWriter[T]{out: out, encoder: encoder}
}

func (w *jsonLinesWriter[T]) write(rows []T) error {
	for i := range rows {
		if err := w.encoder.Encode(&rows[i]); err != nil {
			return fmt.Errorf("row %d: %w", w.written+1, err)
		}
		w.written++
	}
	return nil
}

func (w *jsonLinesWriter[T]) end() error { return w.out.Flush() }

func readJSONLines[T any](r io.Reader) ([]T, error) {
	in := bufio.NewReader(r)
	rows := []T{}
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var row T
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
