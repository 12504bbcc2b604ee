// Package bandfiles describes the checkpoint of a run on several hosts: a folder that all of them can read and
// write. Each worker writes the rows of its band to a file of its own. The manifest names the files of one
// generation with their hashes. It is replaced when all of them are complete, so the folder holds a whole
// checkpoint, old or new, at every moment.
//
// A file of a band has its rows from top to bottom, and a row its planes, each in whole 64-bit little-endian words. The
// package does not read these files: package hosts does for workers, and package checkpoint for one machine.
package bandfiles

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

const (
	manifestName = "checkpoint.json"
	// Suffix is the end of the names of files of bands. They begin with g, the generation and a hyphen.
	Suffix = ".cells"
	// manifestVersion is the version of the format.
	manifestVersion = 1
)

// Manifest describes a checkpoint that is a folder.
type Manifest struct {
	Version    int               `json:"version"` // Write fills it in
	Run        string            `json:"run"`     // that may write to the folder
	Universe   Universe          `json:"universe"`
	Generation uint64            `json:"generation"`
	Target     uint64            `json:"target"`
	Facts      map[string]string `json:"facts,omitempty"` // what the command needs to continue
	Bands      []Band            `json:"bands"`           // from top to bottom; none before the first checkpoint
}

// Universe describes the universe of a run on several hosts.
type Universe struct {
	Rule      string   `json:"rule"`
	RuleFiles []string `json:"rule_files,omitempty"` // without which the rule is not known
	Topology  string   `json:"topology"`
	Seed      uint64   `json:"seed"`
	Density   float64  `json:"density"`
	Pattern   string   `json:"pattern,omitempty"` // SHA-256 that tells first cells apart, in hex; empty for a soup
	Repeat    string   `json:"repeat,omitempty"`  // arguments of gosper run that make a pattern's universe again
	Began     uint64   `json:"began,omitempty"`   // the generation of the first cells
}

// Band is the file of a band. Its lines are rows, or layers of a volume.
type Band struct {
	Name  string `json:"name"`
	First int
	Lines int
	Sum   string `json:"sha256"` // in hex
}

// Read reads the manifest in a folder.
func Read(dir string) (*Manifest, error) {
	path := filepath.Join(dir, manifestName)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.Version != manifestVersion {
		return nil, fmt.Errorf("%s: version %d is not supported, this gosper reads %d", path, m.Version, manifestVersion)
	}
	for _, f := range m.Bands {
		if filepath.Base(f.Name) != f.Name || !strings.HasSuffix(f.Name, Suffix) {
			return nil, fmt.Errorf("%s: %q is no file of cells", path, f.Name)
		}
	}
	return &m, nil
}

// Is reports whether a path is a folder with a checkpoint, even a damaged one.
func Is(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return false
	}
	m, err := Read(path)
	return err == nil && len(m.Bands) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// Write replaces the manifest in a folder and then removes files of cells that it does not name. Unless it is the last
// one, workers may be writing files of later generations, which stay.
func (m *Manifest) Write(dir string, last bool) error {
	m.Version = manifestVersion
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	err = atomicfile.Write(filepath.Join(dir, manifestName), true, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	there, err := filepath.Glob(filepath.Join(dir, "*"+Suffix))
	if err != nil {
		return err
	}
	for _, path := range there {
		name := filepath.Base(path)
		var g uint64
		if _, err := fmt.Sscanf(name, "g%d-", &g); err == nil && (g <= m.Generation || last) &&
			!slices.ContainsFunc(m.Bands, func(f Band) bool { return f.Name == name }) {
			os.Remove(path) // if it stays, the next checkpoint removes it
		}
	}
	return nil
}
