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
	"sync"
	"time"

	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/host"
)

// Manifest says how files of results were computed. It holds everything that may differ between two runs that
// give the same data.
type Manifest struct {
	Command  []string          `json:"command,omitempty"` // the arguments of the program that wrote the files
	Spec     json.RawMessage   `json:"spec,omitempty"`    // the request
	Hash     string            `json:"hash,omitempty"`    // of the spec; SHA-256, lower-case hex
	Build    Build             `json:"build"`             // of the program that wrote the files
	Warning  string            `json:"warning,omitempty"` // why the files cannot be traced to the program's source
	Machine  host.Machine      `json:"machine"`           // that wrote the files
	Runs     []Run             `json:"runs,omitempty"`    // the runs that computed the files' contents, by start
	Workers  map[string]Worker `json:"workers,omitempty"` // the workers that did the jobs of these runs, by name
	Started  time.Time         `json:"started"`           // start of the first run
	Finished time.Time         `json:"finished"`          // end of the last run
	Seconds  float64           `json:"seconds"`           // of computing, over all runs
	Joules   *float64          `json:"joules"`            // over all runs; null if not available for every run
	Files    map[string]string `json:"files"`             // SHA-256 of the data files by name, lower-case hex
}

// Run is one run of a program that computed results.
type Run struct {
	Command  []string  `json:"command"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	Seconds  float64   `json:"seconds"`
	Joules   *float64  `json:"joules"` // null if not available
	Jobs     int       `json:"jobs"`   // number of jobs whose results are in the files
	Killed   bool      `json:"killed"` // the run was killed; Finished is then the last sign of life
}

// Worker is a process that did jobs.
type Worker struct {
	Jobs    int          `json:"jobs,omitempty"` // number of jobs whose results are in the files
	Engine  string       `json:"engine"`         // with a description of its device
	Build   Build        `json:"build"`
	Machine host.Machine `json:"machine"`
}

// WriteManifest stores m as indented JSON. It replaces an existing file.
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

// ReadManifest reads a file that WriteManifest wrote.
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
	Version string `json:"version"`
	// of the source, a tag if installed by one; "unknown" if the program was built without it
	Revision string `json:"revision"`
	Modified bool   `json:"modified"` // whether the source was changed after that revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// release is the version of a program that is built from an archive of the source, where Go finds no history to
// take it from:
//
//	go build -ldflags "-X github.com/gosper-life/gosper/internal/result.release=v1.2.3" ./cmd/gosper
var release string

// ThisBuild returns the version of this program that the linker recorded.
func ThisBuild() Build {
	b := Build{
		Version: "unknown", Revision: "unknown", Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.read(info)
	}
	if release != "" && b.Revision == "unknown" {
		b.Version, b.Revision = release, release
	}
	return b
}

// pseudoVersion is the version that go install gives a revision without a tag.
var pseudoVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^v.*[-.]\d{14}-([0-9a-f]{12})$`)
})

// read takes version and revision from the build information. A module that go install fetched has no revision
// recorded; its version is a tag or ends in a revision.
func (b *Build) read(info *debug.BuildInfo) {
	b.Version = info.Main.Version
	if m := pseudoVersion().FindStringSubmatch(b.Version); m != nil {
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

// released reports whether the version is a release of the module.
func (b Build) released() bool {
	return b.Version != "unknown" && b.Version != "(devel)" && b.Version != ""
}

// Source returns the revision, with "+" if the source was changed after it.
func (b Build) Source() string {
	if b.Modified {
		return b.Revision + "+"
	}
	return b.Revision
}

// Warning says why results of this build cannot be traced to its source. It is empty if they can.
func (b Build) Warning() string {
	switch {
	case b.Modified:
		return "the program was built from source that was changed after revision " + b.Revision
	case b.Revision == "unknown":
		return "the program was built without the revision of its source (go build -buildvcs=true records it)"
	}
	return ""
}
