package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/bench"
)

// Manifest says how files of results came about: all that may differ between two runs that give the same data.
type Manifest struct {
	Command  []string          `json:"command,omitempty"` // the arguments of the program
	Spec     json.RawMessage   `json:"spec,omitempty"`    // what was asked for
	Hash     string            `json:"hash,omitempty"`    // of the spec; SHA-256, lower-case hex
	Build    Build             `json:"build"`
	Engine   string            `json:"engine,omitempty"`  // which simulated, with its device in words
	Machine  bench.Machine     `json:"machine"`           // that wrote the files
	Workers  map[string]int    `json:"workers,omitempty"` // jobs by the worker that did them
	Started  time.Time         `json:"started"`
	Finished time.Time         `json:"finished"`
	Seconds  float64           `json:"seconds"` // of computing, as long as all runs took that made the files
	Joules   *float64          `json:"joules"`  // used in that time; null: not available
	Files    map[string]string `json:"files"`   // SHA-256 of the data files by name, lower-case hex
}

// WriteManifest stores m as indented JSON and replaces the file if it is there.
func (m Manifest) WriteManifest(path string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return named(path, atomicfile.Write(path, true, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	}))
}

// ReadManifest reads what WriteManifest wrote.
func ReadManifest(path string) (Manifest, error) {
	var m Manifest
	text, err := os.ReadFile(path)
	if err != nil {
		return m, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return m, fmt.Errorf("%s: not a manifest: %w", path, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return m, fmt.Errorf("%s: not a manifest: more than one object", path)
	}
	return m, nil
}

// Build is the version of the program.
type Build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source, "+" where it was changed
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ThisBuild is the version of this program, as far as the linker recorded it.
func ThisBuild() Build {
	b := Build{Version: "(unknown)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = info.Main.Version
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				b.Revision = s.Value[:min(12, len(s.Value))] + b.Revision
			case s.Key == "vcs.modified" && s.Value == "true":
				b.Revision += "+"
			}
		}
	}
	return b
}
