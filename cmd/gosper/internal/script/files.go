package script

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/lua"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// files says which files a script may read and write, by their absolute paths. Golly's folders for its own data are in
// memory here, and are lost when the script ends. A rule file that is written to one of them is known from then on.
type files struct {
	dir      string   // of the script
	golly    string   // where Golly is installed; empty if it is not
	readable []string // files and folders
	writable []string
	force    bool // files may be replaced
	memory   map[string][]byte
}

// inMemory begins the paths of the folders that are in memory. There is no such folder on any machine.
const inMemory = "/golly-in-memory/"

// gollyFolder is the folder where Golly is installed, with Patterns, Rules and Scripts. It is empty if there is none.
func gollyFolder() string {
	for _, dir := range []string{
		os.Getenv("GOLLY_DIR"), "/usr/share/golly", "/usr/local/share/golly", "/Applications/Golly",
		filepath.Join(os.Getenv("ProgramFiles"), "Golly"),
	} {
		if info, err := os.Stat(filepath.Join(dir, "Scripts")); dir != "" && err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

func newFiles(script string, read, write []string, force bool) (*files, error) {
	dir, err := filepath.Abs(filepath.Dir(script))
	if err != nil {
		return nil, err
	}
	f := &files{dir: dir, golly: gollyFolder(), force: force, memory: map[string][]byte{}}
	f.readable = []string{dir}
	if f.golly != "" {
		f.readable = append(f.readable, f.golly)
	}
	for _, name := range read {
		if name, err = filepath.Abs(name); err != nil {
			return nil, err
		}
		f.readable = append(f.readable, name)
	}
	for _, name := range write {
		if name, err = filepath.Abs(name); err != nil {
			return nil, err
		}
		f.readable, f.writable = append(f.readable, name), append(f.writable, name)
	}
	return f, nil
}

// resolve returns the absolute path of a name, which is relative to the folder of the script.
func (f *files) resolve(name string) string {
	if strings.HasPrefix(name, inMemory) {
		return name
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(f.dir, name)
	}
	return filepath.Clean(name)
}

// within reports whether a path is one of a list, or in a folder of it, after all links have been followed.
func within(path string, list []string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil { // a file that is to be made
		path = filepath.Join(dir, filepath.Base(path))
	}
	return slices.ContainsFunc(list, func(root string) bool {
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real
		}
		rest, err := filepath.Rel(root, path)
		return err == nil && filepath.IsLocal(rest)
	})
}

// mayRead returns the path of a file or folder on disk that the script may read.
func (f *files) mayRead(name string) (string, error) {
	path := f.resolve(name)
	if strings.HasPrefix(path, inMemory) {
		return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	if !within(path, f.readable) {
		return "", fmt.Errorf("%s: a script reads files in its own folder, in Golly's, and those that --read names", path)
	}
	return path, nil
}

// read returns the content of a file.
func (f *files) read(name string) ([]byte, error) {
	if data, ok := f.memory[f.resolve(name)]; ok {
		return data, nil
	}
	path, err := f.mayRead(name)
	if err != nil {
		return nil, atomicfile.PathFirst(err)
	}
	data, err := os.ReadFile(path)
	return data, atomicfile.PathFirst(err)
}

// write makes a file, whole or not at all.
func (f *files) write(name string, fill func(w io.Writer) error) error {
	path := f.resolve(name)
	if strings.HasPrefix(path, inMemory) {
		var b bytes.Buffer
		if err := fill(&b); err != nil {
			return err
		}
		f.memory[path] = b.Bytes()
		if strings.HasPrefix(path, inMemory+"rules/") {
			rule, err := rulefile.Limits{}.Parse(filepath.Base(path), b.Bytes())
			if err != nil {
				return err
			}
			rulefile.Add(rule)
		}
		return nil
	}
	if !within(path, f.writable) {
		return fmt.Errorf("%s: a script writes only files that --write names", path)
	}
	err := atomicfile.Write(path, f.force, fill)
	if errors.Is(err, atomicfile.ErrExists) {
		return fmt.Errorf("%s exists: --force lets a script replace it", path)
	}
	return atomicfile.PathFirst(err)
}

// folder returns one of Golly's folders, with a separator at its end.
func (f *files) folder(name string) (dir string) {
	switch name {
	case "app", "files":
		if f.golly != "" {
			return strings.TrimSuffix(f.golly, string(filepath.Separator)) + string(filepath.Separator)
		}
	case "data", "temp", "rules", "download":
	default:
		refuse(`folder %q: want "app", "data", "temp", "rules", "files" or "download"`, name)
	}
	return inMemory + name + "/"
}

// list returns the names of the files in a folder, and then those of its folders with a separator at their ends.
func (f *files) list(name string) ([]string, error) {
	var names, folders []string
	path := f.resolve(name)
	for file := range f.memory {
		if rest, in := strings.CutPrefix(file, strings.TrimSuffix(path, "/")+"/"); in && !strings.Contains(rest, "/") {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	if strings.HasPrefix(path, inMemory) {
		return names, nil
	}
	path, err := f.mayRead(name)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name()+string(filepath.Separator))
		} else {
			names = append(names, e.Name())
		}
	}
	return append(names, folders...), atomicfile.PathFirst(err)
}

// chosen asks for a file as a dialog does. The script may then use it.
func (f *files) chosen(q *questions, title, initial string, writing bool) string {
	name, err := q.ask(title, initial)
	must(err)
	if name == "" {
		return ""
	}
	path, err := filepath.Abs(name)
	must(err)
	f.readable = append(f.readable, path)
	if writing {
		f.writable = append(f.writable, path)
	}
	return path
}

// stream is a file that a script has opened. The text that it writes is kept until it closes the file.
type stream struct {
	f       *files
	name    string
	content []byte
	writing bool
	written bytes.Buffer
}

// open opens a file for a program in Lua.
func (f *files) open(name, mode string) (lua.File, error) {
	s := &stream{f: f, name: name}
	var err error
	switch mode[0] {
	case 'r':
		if strings.Contains(mode, "+") {
			return nil, fmt.Errorf("%s: a script opens files for reading or for writing, not for both", name)
		}
		s.content, err = f.read(name)
	case 'a':
		s.writing = true
		var before []byte
		if before, err = f.read(name); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		s.written.Write(before)
	default:
		s.writing = true
		if path := f.resolve(name); !strings.HasPrefix(path, inMemory) && !within(path, f.writable) {
			err = f.write(name, nil) // says why not
		}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *stream) Contents() []byte { return s.content }

func (s *stream) Write(b []byte) (int, error) {
	if !s.writing {
		return 0, fmt.Errorf("%s has been opened for reading", s.name)
	}
	return s.written.Write(b)
}

func (s *stream) Close() error {
	if !s.writing {
		return nil
	}
	return s.f.write(s.name, func(w io.Writer) error {
		_, err := w.Write(s.written.Bytes())
		return err
	})
}

// module finds a module of Lua by the name that require is given, as Golly does: beside the script, then among Golly's.
func (f *files) module(name string) (path string, source []byte, err error) {
	file := filepath.FromSlash(strings.ReplaceAll(name, ".", "/"))
	folders := []string{f.dir}
	if f.golly != "" {
		folders = append(folders, filepath.Join(f.golly, "Scripts", "Lua"))
	}
	for _, dir := range folders {
		for _, path := range []string{filepath.Join(dir, file+".lua"), filepath.Join(dir, file, "init.lua")} {
			if !within(path, f.readable) {
				continue
			}
			source, err := os.ReadFile(path)
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				return path, source, atomicfile.PathFirst(err)
			}
		}
	}
	if f.golly == "" {
		return "", nil, fmt.Errorf("it is not beside the script, and Golly is not installed: GOLLY_DIR names its folder")
	}
	return "", nil, fmt.Errorf("it is neither beside the script nor in %s", folders[1])
}

// whereGlife says where Golly's modules for Python were looked for. Some packages of Golly lack them.
func (f *files) whereGlife() string {
	if f.golly == "" {
		return "it is not beside the script, and Golly is not installed: GOLLY_DIR names its folder"
	}
	return fmt.Sprintf("it is neither beside the script nor in %s; GOLLY_DIR names a folder of Golly that has it",
		filepath.Join(f.golly, "Scripts", "Python"))
}
