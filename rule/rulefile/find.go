package rulefile

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gosper-life/gosper/internal/names"
)

// Variable is the environment variable that lists folders of rule files, as PATH lists those of programs.
const Variable = "GOSPER_RULES"

// library holds the rules and folders that the program has added.
var library = struct {
	sync.Mutex
	added   map[string]*File // by name
	folders []string         // the last one added first
	paths   bool             // a rule may be named by the path of its file
	read    map[string]known // by path
}{added: map[string]*File{}, read: map[string]known{}}

// known is a rule file that was read, with its size and time then.
type known struct {
	file    *File
	size    int64
	written time.Time
}

// Add registers a rule, such as one that came with a pattern. From then on it comes before all other rules of its
// name.
func Add(f *File) {
	library.Lock()
	defer library.Unlock()
	library.added[f.Name] = f
}

// AddTexts registers rules by the texts of their files, such as those that came with a checkpoint.
func AddTexts(texts []string) error {
	for _, text := range texts {
		f, err := Limits{}.Parse("the stored rule", []byte(text))
		if err != nil {
			return err
		}
		Add(f)
	}
	return nil
}

// AllowPaths lets Find read a rule by the path of its file, such as "rules/mine.rule". A program that takes rules from
// others does not call it.
func AllowPaths() {
	library.Lock()
	defer library.Unlock()
	library.paths = true
}

// IsPath reports whether a name is a path that Find would read.
func IsPath(name string) bool {
	library.Lock()
	defer library.Unlock()
	suffix := filepath.Ext(name)
	return library.paths && len(name) > len(suffix) && slices.Contains(Suffixes, suffix)
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

// Suffixes lists the suffixes of rule files, in the order in which Find tries them.
var Suffixes = []string{".rule", ".table", ".tree"}

// MaxBytes is the greatest size of a rule file.
const MaxBytes = 64 << 20

// Find looks up a rule by its name: among the added rules, in the user's folders, among the built-in rules, and
// in Golly's folders. If no rule has exactly this name, Find ignores case, hyphens and underscores, unless the
// name has slashes. Its error wraps fs.ErrNotExist if there is no such rule.
func Find(name string) (*File, error) {
	ways := []way{exactly, loosely}
	if strings.ContainsAny(name, `/\`) {
		// Files have underscores for slashes. If these were ignored too, the name that is found could mean another rule.
		ways = ways[:1]
	}
	for _, by := range ways {
		f, err := find(name, by, ownFolders())
		if f == nil && err == nil {
			f, err = builtIn(name, by.same)
		}
		if f == nil && err == nil {
			f, err = find(name, by, golly())
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

// way is a comparison of names.
type way bool

const (
	exactly way = false
	loosely way = true
)

func (w way) same(a, b string) bool {
	return a == b || bool(w) && names.Fold(a) == names.Fold(b)
}

// find looks among the added rules and in folders. It returns nil if there is no such rule.
func find(name string, by way, folders []string) (*File, error) {
	library.Lock()
	f, ok := library.added[name]
	library.Unlock()
	if ok {
		return f, nil
	}
	if IsPath(name) {
		f, err := read(name)
		if err == nil && f != nil {
			Add(f)
		}
		if err != nil || f != nil {
			return f, err
		}
	}
	// A name that cannot be a file name is changed in the same way as Golly does.
	file := strings.NewReplacer("/", "_", `\`, "_").Replace(name)
	for _, dir := range folders {
		f, err := findIn(dir, file, by)
		if f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}
