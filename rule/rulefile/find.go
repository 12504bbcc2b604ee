package rulefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/internal/names"
)

// Variable is the environment variable that lists folders of rule files, as PATH lists those of programs.
const Variable = "GOSPER_RULES"

// library holds the rules and folders that the program has added.
var library = struct {
	sync.Mutex
	added   map[string]*File // by name
	folders []string         // the last one added first
	read    map[string]*File // by path
}{added: map[string]*File{}, read: map[string]*File{}}

// Add makes a rule known, such as one that came with a pattern. From then on it comes before all other rules of its name.
func Add(f *File) {
	library.Lock()
	defer library.Unlock()
	library.added[f.Name] = f
}

// AddFolder makes Find look in a folder, before all folders added earlier.
func AddFolder(dir string) {
	library.Lock()
	defer library.Unlock()
	if i := slices.Index(library.folders, dir); i >= 0 {
		library.folders = slices.Delete(library.folders, i, i+1)
	}
	library.folders = slices.Insert(library.folders, 0, dir)
}

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

// Suffixes lists the suffixes of rule files, in the order in which Find tries them.
var Suffixes = []string{".rule", ".table", ".tree"}

// MaxBytes is the greatest size of a rule file.
const MaxBytes = 64 << 20

// Find looks up a rule by its name: among the added rules, in the user's folders, among the built-in rules, and in Golly's folders. If no rule has
// exactly this name, Find ignores case, hyphens and underscores, unless the name has slashes. Its error wraps fs.ErrNotExist if there is no such rule.
func Find(name string) (*File, error) {
	ways := []func(a, b string) bool{exactly, loosely}
	if strings.ContainsAny(name, `/\`) {
		// Files have underscores for slashes. If these were ignored too, the name that is found could mean another rule.
		ways = ways[:1]
	}
	for _, same := range ways {
		f, err := find(name, same, ownFolders())
		if f == nil && err == nil {
			f, err = builtIn(name, same)
		}
		if f == nil && err == nil {
			f, err = find(name, same, golly())
		}
		if f != nil || err != nil {
			return f, err
		}
	}
	return nil, notFound(name)
}

// FindOwn is like Find, but looks only among the added rules and in the user's folders, and only for the exact name.
func FindOwn(name string) (*File, error) {
	f, err := find(name, exactly, ownFolders())
	if f == nil && err == nil {
		err = notFound(name)
	}
	return f, err
}

func notFound(name string) error {
	return fmt.Errorf("no rule file has the name %q: %w", name, fs.ErrNotExist)
}

func exactly(a, b string) bool { return a == b }

func loosely(a, b string) bool { return names.Fold(a) == names.Fold(b) }

// find looks among the added rules and in folders. It returns nil if there is no such rule.
func find(name string, same func(a, b string) bool, folders []string) (*File, error) {
	library.Lock()
	f, ok := library.added[name]
	library.Unlock()
	if ok {
		return f, nil
	}
	// A name that cannot be a file name is changed in the same way as Golly does.
	file := strings.NewReplacer("/", "_", `\`, "_").Replace(name)
	for _, dir := range folders {
		f, err := findIn(dir, func(entry string) bool { return same(entry, file) })
		if f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
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
		return nil, fmt.Errorf("%s: %d bytes are too many for a rule file: at most %d are allowed", path, info.Size(), MaxBytes)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if f, err = Parse(path, text); err != nil {
		return nil, err
	}
	f.Path = path
	library.Lock()
	library.read[path] = f
	library.Unlock()
	return f, nil
}
