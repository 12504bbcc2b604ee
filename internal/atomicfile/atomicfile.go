// Package atomicfile writes files that are either whole or not there: the bytes go to a part file in the same folder, which takes the
// final name only when everything has been written and flushed to disk.
//
// Each name has one part file, which is locked while its process lives. So two processes, or two outputs of one process, never write the same
// file. What a killed process leaves is found by the next process that writes there, and reused or removed. File systems without locks do not
// have that.
package atomicfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// ErrExists is the cause of an error that refuses to replace a file.
var ErrExists = fs.ErrExist

// ErrHeld is the cause of an error that refuses a file which another process, or another File of this one, is about to write.
var ErrHeld = errors.New("another run is writing this file")

var (
	errLost     = errors.New("the part file that was to become it is gone")
	errReplaced = errors.New("replaced meanwhile by another program, so it is left alone")
)

// File is a file on its way to its final name. Every File must end in Commit, Abort or Leave; Abort after Commit does nothing,
// so that "defer f.Abort()" is the usual way to hold one.
type File struct {
	part    *os.File
	name    string      // as the caller gave it
	path    string      // name without symbolic links
	force   bool        // whatever is at path may be replaced
	replace fs.FileInfo // what may be replaced without force; nil: nothing
	done    bool
}

// Prefix is how a file begins.
type Prefix struct {
	Bytes int64
	Sum   [sha256.Size]byte // SHA-256
}

// Create starts a file that will be called path, and holds that name. Without force it refuses an existing file, and so does Commit; the error
// wraps ErrExists. It refuses a name that is held with an error that wraps ErrHeld. A symbolic link is followed. Errors name path, never the part
// file.
func Create(path string, force bool) (*File, error) {
	f, _, err := open(path, force, nil, nil)
	return f, err
}

// Continue is Create for a file that may go on. The file then begins with the prefix, which is taken from what a killed process left on its way to
// path, or from the file at path. That one may be replaced, because it is an earlier state of the same file. Continue returns false if there is
// no such beginning; then the file is empty.
func Continue(path string, force bool, begin Prefix) (*File, bool, error) {
	return open(path, force, nil, &begin)
}

// open does what Create and Continue do. What replace describes may be replaced: it is this process's own.
func open(name string, force bool, replace fs.FileInfo, begin *Prefix) (*File, bool, error) {
	path, err := follow(name)
	if err != nil {
		return nil, false, err
	}
	f := &File{name: name, path: path, force: force, replace: replace}
	there, err := regular(path)
	if err != nil {
		return nil, false, named(name, err)
	}
	mode := fs.FileMode(0o666)
	if there != nil {
		mode = there.Mode().Perm()
		if !force && begin == nil && replace == nil {
			return nil, false, existsError(name)
		}
	}
	found, err := f.hold(mode, begin)
	if err != nil {
		return nil, false, named(name, err)
	}
	kept := found
	if found, err = f.claim(found, begin); err != nil {
		if kept {
			f.Leave()
		} else {
			f.Abort()
		}
		return nil, false, named(name, err)
	}
	return f, found, nil
}

// follow is what a symbolic link leads to, and any other path itself.
func follow(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, nil
	}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		return "", fmt.Errorf("%s is a symbolic link to %s, which does not exist", path, to)
	}
	return target, err
}

// regular is the file at path, nil where there is none.
func regular(path string) (fs.FileInfo, error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder", path)
	case !info.Mode().IsRegular():
		// Renaming over a device or a pipe would replace it by a plain file.
		return nil, fmt.Errorf("%s is not a regular file", path)
	default:
		return info, nil
	}
}

// longest is the length in bytes up to which names are kept as they are in those of part files. File systems allow 255 bytes, few
// only 143.
const longest = 100

// partOf is the name of the part file of path. It is short enough for every file system for which path is short enough. If a file system takes
// two names for the same, it takes their part files for the same, too.
func partOf(path string) string {
	dir, base := filepath.Split(path)
	if len(base) > longest {
		sum := sha256.Sum256([]byte(base))
		cut := longest - 20
		for !utf8.RuneStart(base[cut]) {
			cut--
		}
		base = fmt.Sprintf("%s-%x", base[:cut], sum[:8])
	}
	return filepath.Join(dir, "."+base+".gosper-part")
}

// hold makes the part file, or takes over one whose process is gone. It returns true if that one begins as asked for.
func (f *File) hold(mode fs.FileMode, begin *Prefix) (found bool, err error) {
	name := partOf(f.path)
	for range 100 {
		part, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		made := err == nil
		if errors.Is(err, fs.ErrExist) {
			part, err = os.OpenFile(name, os.O_RDWR, 0)
		}
		if errors.Is(err, fs.ErrNotExist) && exists(filepath.Dir(name)) {
			continue // its process has just finished
		}
		if err != nil {
			return false, err
		}
		switch {
		case !lock(part):
			part.Close()
			return false, f.heldError()
		case !isAt(part, name): // removed or renamed before it was locked
			part.Close()
			continue
		case made:
			f.part = part
			return false, nil
		}
		if begin != nil && begins(part, *begin) {
			f.part = part
			_, err := part.Seek(begin.Bytes, io.SeekStart)
			if err == nil {
				err = part.Truncate(begin.Bytes)
			}
			if err != nil {
				part.Close()
			}
			return true, err
		}
		err = os.Remove(name)
		part.Close()
		if err != nil {
			// Systems that do not remove open files.
			if err := os.Remove(name); err != nil {
				return false, err
			}
		}
	}
	return false, f.heldError()
}

// claim looks at what is at path, now that nobody else writes there. It must be a file that may be replaced.
func (f *File) claim(found bool, begin *Prefix) (bool, error) {
	there, err := regular(f.path)
	if there == nil || err != nil || f.replace != nil && os.SameFile(there, f.replace) {
		return found, err
	}
	if old, err := os.Open(f.path); err == nil {
		defer old.Close()
		if !lock(old) {
			return false, f.heldError() // the last of several that another process writes there
		}
		switch {
		case begin == nil:
		case !found && begins(old, *begin):
			if _, err := io.CopyN(f.part, io.NewSectionReader(old, 0, begin.Bytes), begin.Bytes); err != nil {
				return false, err
			}
			found, f.replace = true, there
		case found && (begins(old, *begin) || continues(f.part, old, there.Size())):
			f.replace = there
		}
	}
	if f.replace == nil && !f.force {
		return false, existsError(f.name)
	}
	return found, nil
}

// begins reports whether a file has a prefix.
func begins(file *os.File, p Prefix) bool {
	sum := sha256.New()
	n, err := io.Copy(sum, io.NewSectionReader(file, 0, p.Bytes))
	return err == nil && n == p.Bytes && [sha256.Size]byte(sum.Sum(nil)) == p.Sum
}

// continues reports whether a file begins with the n bytes that are all of an older one.
func continues(file, old *os.File, n int64) bool {
	sum := sha256.New()
	_, err := io.Copy(sum, io.NewSectionReader(old, 0, n))
	return err == nil && begins(file, Prefix{Bytes: n, Sum: [sha256.Size]byte(sum.Sum(nil))})
}

// isAt reports whether a name is that of an open file.
func isAt(file *os.File, name string) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(opened, there)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Holds reports whether path is a name of the file that f is going to be.
func (f *File) Holds(path string) bool {
	path, err := follow(path)
	if err != nil || f.done {
		return false
	}
	mine, err := f.part.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(partOf(path))
	return err == nil && os.SameFile(mine, there)
}

// Write implements io.Writer.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.part.Write(b)
	return n, named(f.name, err)
}

// Copy writes to w what has been written so far.
func (f *File) Copy(w io.Writer) error {
	n, err := f.part.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = io.Copy(w, io.NewSectionReader(f.part, 0, n))
	}
	return named(f.name, err)
}

// Sync flushes to disk what has been written, so that Continue finds it whatever happens.
func (f *File) Sync() error { return named(f.name, f.part.Sync()) }

// Commit flushes the file and gives it its final name. After an error nothing is left behind.
func (f *File) Commit() error {
	if f.done {
		return fs.ErrClosed
	}
	defer f.part.Close()
	return f.commit()
}

// commit leaves the file open, and so locked, where the system allows that.
func (f *File) commit() error {
	f.done = true
	part := f.part.Name()
	err := f.part.Sync()
	if err == nil && !isAt(f.part, part) {
		err = &fs.PathError{Op: "rename", Path: f.name, Err: errLost}
	}
	if !renamesOpenFiles {
		if e := f.part.Close(); err == nil {
			err = e
		}
	}
	if err == nil {
		err = f.publish(part)
	}
	if err != nil {
		os.Remove(part)
		return named(f.name, err)
	}
	return named(f.name, syncFolder(filepath.Dir(f.path)))
}

// publish moves the finished file to its name. Without force a hard link does it where the file system has them,
// because a link, unlike a rename, fails when another process has made the name in the meantime.
func (f *File) publish(part string) error {
	if f.force {
		return os.Rename(part, f.path)
	}
	if there, err := os.Lstat(f.path); err == nil && f.replace != nil {
		if !os.SameFile(there, f.replace) {
			return &fs.PathError{Op: "replace", Path: f.name, Err: errReplaced}
		}
		return os.Rename(part, f.path)
	}
	err := os.Link(part, f.path)
	switch {
	case err == nil:
		return os.Remove(part)
	case errors.Is(err, fs.ErrExist):
		return existsError(f.name)
	}
	if exists(f.path) {
		return existsError(f.name)
	}
	return os.Rename(part, f.path)
}

// Leave ends the file as the death of its process would. Continue can find what has been written.
func (f *File) Leave() {
	if !f.done {
		f.done = true
		f.part.Close()
	}
}

// Abort drops the file unless it has been committed.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	part := f.part.Name()
	if renamesOpenFiles && isAt(f.part, part) {
		os.Remove(part) // while nobody else can have locked it
		f.part.Close()
		return
	}
	f.part.Close()
	if !renamesOpenFiles {
		os.Remove(part)
	}
}

// Write creates path from what write produces, or leaves no trace when write fails.
func Write(path string, force bool, write func(io.Writer) error) error {
	f, err := Create(path, force)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// named changes a system's error about a part file into one about the file that it was to become.
func named(path string, err error) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		return &fs.PathError{Op: file.Op, Path: path, Err: file.Err}
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return &fs.PathError{Op: link.Op, Path: path, Err: link.Err}
	}
	return err
}

func (f *File) heldError() error { return fmt.Errorf("%s: %w", f.name, ErrHeld) }

func existsError(path string) error {
	return fmt.Errorf("%s: %w (use --force to replace it)", path, ErrExists)
}
