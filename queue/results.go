package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/internal/atomicfile"
)

// Results keeps what jobs gave in a folder: DIR/jobs/KEY.json.gz, and DIR/failed/KEY.json for those given up. Several processes may share
// one: files are whole or not there, and two that do the same job write the same file.
type Results struct{ Dir string }

const resultSuffix = ".json.gz"

func (r Results) path(key string) string { return filepath.Join(r.Dir, "jobs", key+resultSuffix) }

func (r Results) failure(key string) string { return filepath.Join(r.Dir, "failed", key+".json") }

// Has reports whether a job has a result.
func (r Results) Has(key string) bool {
	_, err := os.Stat(r.path(key))
	return err == nil
}

// Load returns the result of a job; the error wraps fs.ErrNotExist where there is none.
func (r Results) Load(key string) ([]byte, error) { return os.ReadFile(r.path(key)) }

// Save keeps the result of a job, and forgets that it failed before.
func (r Results) Save(key string, result []byte) error {
	if err := write(r.path(key), result); err != nil {
		return fmt.Errorf("the result of job %.12s… cannot be kept: %w", key, err)
	}
	if err := os.Remove(r.failure(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return atomicfile.Write(path, true, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Failure is a job given up.
type Failure struct {
	Key    string `json:"key"`
	Error  string `json:"error"`  // of the last try
	Tries  int    `json:"tries"`  // how often it was tried
	Worker string `json:"worker"` // that tried it last
}

// Park keeps the error of a job that is given up.
func (r Results) Park(f Failure) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	if err := write(r.failure(f.Key), append(text, '\n')); err != nil {
		return fmt.Errorf("the error of job %.12s… cannot be kept: %w", f.Key, err)
	}
	return nil
}

// Failures lists the jobs given up, by key.
func (r Results) Failures() ([]Failure, error) {
	names, err := r.list("failed", ".json")
	var failures []Failure
	for _, name := range names {
		text, err := os.ReadFile(r.failure(name))
		if err != nil {
			return nil, err
		}
		var f Failure
		if err := json.Unmarshal(text, &f); err != nil {
			return nil, fmt.Errorf("%s: %w", r.failure(name), err)
		}
		failures = append(failures, f)
	}
	return failures, err
}

// Keys lists the jobs that have results, in order.
func (r Results) Keys() ([]string, error) { return r.list("jobs", resultSuffix) }

func (r Results) list(folder, suffix string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(r.Dir, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var keys []string
	for _, e := range entries {
		if key, ok := strings.CutSuffix(e.Name(), suffix); ok && !strings.HasPrefix(key, ".") {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, err
}
