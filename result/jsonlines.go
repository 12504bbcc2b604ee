package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// writeJSONLines writes one object a line.
func writeJSONLines[T any](w io.Writer, rows []T) error {
	buffered := bufio.NewWriter(w)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	for i := range rows {
		if err := encoder.Encode(&rows[i]); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return buffered.Flush()
}

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
