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

// findIn looks for a file in a folder. It returns nil if there is none. It reads the names of all files only if
// it must: for names that differ in case and the like, and on systems whose own names do.
func findIn(dir, file string, by way) (*File, error) {
	var all []string
	if by == exactly && runtime.GOOS == "linux" {
		for _, suffix := range Suffixes {
			if info, err := os.Stat(filepath.Join(dir, file+suffix)); err == nil && !info.IsDir() {
				all = append(all, file+suffix)
			}
		}
	} else if entries, err := os.ReadDir(dir); err == nil { // most of the folders do not exist
		for _, entry := range entries {
			if !entry.IsDir() {
				all = append(all, entry.Name())
			}
		}
	}
	for _, suffix := range Suffixes {
		for _, entry := range all {
			name, ok := strings.CutSuffix(entry, suffix)
			if !ok || !by.same(name, file) {
				continue
			}
			f, err := read(filepath.Join(dir, entry))
			if errors.As(err, &errNoFunction{}) {
				continue // it has only colours or icons; the rule is in another file
			}
			return f, err
		}
	}
	return nil, nil
}

// read reads a rule file. Later calls return the same file without reading again, unless it was written meanwhile.
func read(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	library.Lock()
	before, ok := library.read[path]
	library.Unlock()
	if ok && before.size == info.Size() && before.written.Equal(info.ModTime()) {
		return before.file, nil
	}
	if info.Size() > MaxBytes {
		return nil, fmt.Errorf("%s: %d bytes are too many for a rule file: at most %d are allowed", path, info.Size(),
			MaxBytes)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := (Limits{}).Parse(path, text)
	if err != nil {
		return nil, err
	}
	f.Path = path
	library.Lock()
	library.read[path] = known{f, info.Size(), info.ModTime()}
	library.Unlock()
	return f, nil
}
