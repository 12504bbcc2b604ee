package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/host"
)

// Manifest says how files of results came about: all that may differ between two runs that give the same data.
type Manifest struct {
	Command  []string          `json:"command,omitempty"` // the arguments of the program that wrote the files
	Spec     json.RawMessage   `json:"spec,omitempty"`    // what was asked for
	Hash     string            `json:"hash,omitempty"`    // of the spec; SHA-256, lower-case hex
	Build    Build             `json:"build"`             // that wrote the files
	Warning  string            `json:"warning,omitempty"` // why they cannot be traced to their source
	Machine  host.Machine      `json:"machine"`           // likewise
	Runs     []Run             `json:"runs,omitempty"`    // that computed what is in the files, in the order of their beginning
	Workers  map[string]Worker `json:"workers,omitempty"` // that did the jobs of these runs, by name
	Started  time.Time         `json:"started"`           // of the first run
	Finished time.Time         `json:"finished"`          // of the last
	Seconds  float64           `json:"seconds"`           // of computing, of all runs
	Joules   *float64          `json:"joules"`            // likewise; null: not available of every run
	Files    map[string]string `json:"files"`             // SHA-256 of the data files by name, lower-case hex
}

// Run is one run of a program that computed results.
type Run struct {
	Command  []string  `json:"command"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	Seconds  float64   `json:"seconds"`
	Joules   *float64  `json:"joules"` // null: not available
	Jobs     int       `json:"jobs"`   // whose results are in the files
	Killed   bool      `json:"killed"` // before it could say how it ended; then it finished when it was heard of last
}

// Worker is a process that did jobs.
type Worker struct {
	Jobs    int          `json:"jobs,omitempty"` // whose results are in the files
	Engine  string       `json:"engine"`         // with its device in words
	Build   Build        `json:"build"`
	Machine host.Machine `json:"machine"`
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
	Revision string `json:"revision"` // of the source, a tag where it was installed by one; "unknown" where the program was built without
	Modified bool   `json:"modified"` // since that revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ThisBuild is the version of this program, as far as the linker recorded it.
func ThisBuild() Build {
	b := Build{Version: "unknown", Revision: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.read(info)
	}
	return b
}

// pseudoVersion is the version that go install gives a revision without a tag.
var pseudoVersion = regexp.MustCompile(`^v.*[-.]\d{14}-([0-9a-f]{12})$`)

// read takes version and revision. What go install fetched as a module has no revision recorded: its version is a tag, or ends in one.
func (b *Build) read(info *debug.BuildInfo) {
	b.Version = info.Main.Version
	if m := pseudoVersion.FindStringSubmatch(b.Version); m != nil {
		b.Revision = m[1]
	} else if b.released() {
		b.Revision = b.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
}

// released says that the version is one of the module's.
func (b Build) released() bool {
	return b.Version != "unknown" && b.Version != "(devel)" && b.Version != ""
}

// Source is the revision, with "+" where the source was changed after it.
func (b Build) Source() string {
	if b.Modified {
		return b.Revision + "+"
	}
	return b.Revision
}

// Warning says why results of this build cannot be traced to its source; empty where they can.
func (b Build) Warning() string {
	switch {
	case b.Modified:
		return "the program was built from source that was changed after revision " + b.Revision
	case b.Revision == "unknown":
		return "the program was built without the revision of its source (go build -buildvcs=true records it)"
	}
	return ""
}
