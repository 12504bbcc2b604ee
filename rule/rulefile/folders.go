//go:build !js

package rulefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// ownFolders returns the folders that the user controls.
func ownFolders() []string {
	library.Lock()
	folders := slices.Clone(library.folders)
	library.Unlock()
	folders = append(folders, filepath.SplitList(os.Getenv(Variable))...)
	if dir, err := os.UserConfigDir(); err == nil {
		folders = append(folders, filepath.Join(dir, "gosper", "rules"))
	}
	return folders
}

// golly returns the folders of Golly's rules: the user's, and those of the installation.
func golly() (folders []string) {
	home, err := os.UserHomeDir()
	own := func(parts ...string) {
		if err == nil {
			folders = append(folders, filepath.Join(append([]string{home}, parts...)...))
		}
	}
	switch runtime.GOOS {
	case "darwin":
		own("Library", "Application Support", "Golly", "Rules")
		return append(folders, "/Applications/Golly/Rules")
	case "windows":
		own("AppData", "Roaming", "Golly", "Rules")
		return append(folders, filepath.Join(os.Getenv("ProgramFiles"), "Golly", "Rules"))
	}
	own(".golly", "Rules")
	return append(folders, "/usr/share/golly/Rules", "/usr/local/share/golly/Rules", "/usr/lib/golly/Rules")
}

// findIn looks for a file in a folder. It returns nil if there is none.
func findIn(dir string, same func(name string) bool) (*File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil // most of the folders do not exist
	}
	for _, suffix := range Suffixes {
		for _, entry := range entries {
			name, ok := strings.CutSuffix(entry.Name(), suffix)
			if !ok || !same(name) || entry.IsDir() {
				continue
			}
			f, err := read(filepath.Join(dir, entry.Name()))
			if errors.As(err, &errNoFunction{}) {
				continue // it has only colours or icons; the rule is in another file
			}
			return f, err
		}
	}
	return nil, nil
}

// read reads a rule file. Later calls return the same file without reading again.
func read(path string) (*File, error) {
	library.Lock()
	f, ok := library.read[path]
	library.Unlock()
	if ok {
		return f, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > MaxBytes {
		return nil, fmt.Errorf("%s: %d bytes are too many for a rule file: at most %d are allowed", path, info.Size(),
			MaxBytes)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if f, err = (Limits{}).Parse(path, text); err != nil {
		return nil, err
	}
	f.Path = path
	library.Lock()
	library.read[path] = f
	library.Unlock()
	return f, nil
}
