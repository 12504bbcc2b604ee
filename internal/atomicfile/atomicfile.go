// Package atomicfile writes files that appear whole or not at all. The bytes go to a part file in the same
// folder, which gets the final name only when everything has been written and flushed to disk.
//
// Each name has one part file, which is locked while its process lives, so two processes, or two outputs of one
// process, never write the same file. The next process that writes to the name finds the remains of a killed process,
// and reuses or removes them. On file systems without locks this does not work.
package atomicfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"
)

// ErrExists is the cause of an error if a file exists and may not be replaced.
var ErrExists = fs.ErrExist

// ErrHeld is the cause of an error if another process, or another File of this one, is writing the file.
var ErrHeld = errors.New("another run is writing this file")

// ErrUnsynced says that a file has its name, but that the system could not make sure of it.
var ErrUnsynced = errors.New("it is complete, but may be lost if the power fails")

// ErrMissing is the cause of an error if a file to be continued is missing, or is shorter than it was.
var ErrMissing = errors.New("what is to be continued is missing")

var (
	errLost     = errors.New("its part file is gone")
	errReplaced = errors.New("replaced meanwhile by another program, so it is left alone")
)

// File is a file that is being written. Every File must end with Commit, Abort or Leave. Abort after Commit
// does nothing, so "defer f.Abort()" is the usual way to use it.
type File struct {
	part    *os.File
	name    string      // as the caller gave it
	path    string      // name without symbolic links
	force   bool        // anything at path may be replaced
	replace fs.FileInfo // what may be replaced without force; nil for nothing
	made    bool        // the part file is new, and not one that a killed process left
	synced  bool        // nothing has been written since the last successful sync
	doubt   bool        // the last sync failed
	done    bool
}

// Sum is the SHA-256 of a file.
type Sum [sha256.Size]byte

// Prefix is the beginning of a file.
type Prefix struct {
	Bytes int64
	Sum   Sum
}

// Create starts a file that will be called path, and reserves that name. Without force it refuses an existing
// file, and so does Commit; the error wraps ErrExists. It refuses a reserved name with an error that wraps
// ErrHeld. A symbolic link is followed. Errors name path, never the part file.
//
// An existing file with one of the sums may be replaced without force. A run that was cut knows the sums of its files.
func Create(path string, force bool, own ...Sum) (*File, error) {
	return open(path, request{force: force, own: own})
}

// Continue reserves a name as Create does, for a file that was begun. The file begins with the prefix, which is taken
// from the part file of a killed process, or from the file at path. The latter may be replaced, because it is an
// earlier state of the same file. If neither begins with the prefix, both are left as they are, and the error wraps
// ErrMissing.
func Continue(path string, force bool, begin Prefix) (*File, error) {
	return open(path, request{force: force, begin: &begin})
}

// request is the condition on an existing file of the same name.
type request struct {
	force   bool
	own     []Sum       // of files that may be replaced
	replace fs.FileInfo // a file that may be replaced, because it is this process's own
	begin   *Prefix     // of the file; nil if it is new
}

// open does the work of Create and Continue.
func open(name string, r request) (*File, error) {
	path, err := follow(name)
	if err != nil {
		return nil, err
	}
	f := &File{name: name, path: path, force: r.force, replace: r.replace}
	there, err := regular(path)
	if err != nil {
		return nil, named(name, err)
	}
	mode := fs.FileMode(0o666)
	if there != nil {
		mode = there.Mode().Perm()
		if !r.force && r.begin == nil && r.replace == nil && len(r.own) == 0 {
			return nil, existsError(name)
		}
	}
	if err := f.hold(mode, r.begin != nil); err != nil {
		return nil, named(name, err)
	}
	if err := f.claim(r); err != nil {
		if f.made {
			f.Abort()
		} else {
			f.Leave()
		}
		return nil, named(name, err)
	}
	return f, nil
}

// follow returns the target of a symbolic link, and any other path unchanged.
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

// regular describes the file at path. It returns nil if no file exists.
func regular(path string) (fs.FileInfo, error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder", path)
	case !info.Mode().IsRegular():
		// Renaming to a device or a pipe would replace it by a regular file.
		return nil, fmt.Errorf("%s is not a regular file", path)
	default:
		return info, nil
	}
}

// longest is the length in bytes up to which names are kept unchanged in those of part files. Most file systems
// allow 255 bytes, a few only 143.
const longest = 100

// partOf returns the name of the part file of path. It is short enough for every file system for which path is
// short enough. If a file system considers two names equal, the names of their part files are equal, too.
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

// hold makes the part file. It takes over one whose process is gone if its content may be wanted, else it makes
// a new one.
func (f *File) hold(mode fs.FileMode, wanted bool) error {
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
			return err
		}
		switch {
		case !lock(part):
			part.Close()
			return f.heldError()
		case !isAt(part, name): // removed or renamed before it was locked
			part.Close()
			continue
		// A process that is killed between the two steps of publish leaves a second name of the finished file.
		case made, wanted && !isAt(part, f.path):
			f.part, f.made = part, made
			return nil
		}
		err = os.Remove(name)
		part.Close()
		if err != nil {
			// For systems that do not remove open files.
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	return f.heldError()
}

// claim checks the file at path, now that no other process writes there: it must be a file that may be replaced. If the
// file is to be continued, claim also finds its beginning.
func (f *File) claim(r request) error {
	there, err := regular(f.path)
	if err != nil {
		return err
	}
	found := r.begin == nil || begins(f.part, *r.begin)
	if there != nil && (f.replace == nil || !os.SameFile(there, f.replace)) {
		old, err := os.Open(f.path)
		if err == nil {
			defer old.Close()
			if !lock(old) {
				return f.heldError() // the last of several checkpoints that another process writes there
			}
		}
		switch {
		case err != nil && r.begin != nil:
			return err
		case err != nil: // it cannot be read, but may be replaced
		case r.begin == nil:
			if sum, err := sumOf(old); err == nil && slices.Contains(r.own, sum) {
				f.replace = there
			}
		case begins(old, *r.begin):
			if !found {
				if err := f.begin(old, r.begin.Bytes); err != nil {
					return err
				}
			}
			found, f.replace = true, there
		case found && continues(f.part, old, there.Size()):
			f.replace = there
		}
		if found && f.replace == nil && !f.force {
			return existsError(f.name)
		}
	}
	if !found {
		return f.missing(there, r.begin.Bytes)
	}
	if r.begin == nil {
		return nil
	}
	if _, err := f.part.Seek(r.begin.Bytes, io.SeekStart); err != nil {
		return err
	}
	return f.part.Truncate(r.begin.Bytes)
}

// begin makes the first n bytes of another file those of the part file.
func (f *File) begin(from io.ReaderAt, n int64) error {
	if err := f.part.Truncate(0); err != nil {
		return err
	}
	_, err := io.CopyN(f.part, io.NewSectionReader(from, 0, n), n)
	return err
}

// missing returns the error for a file that should be continued after its first n bytes but lacks some of them.
func (f *File) missing(there fs.FileInfo, n int64) error {
	what := "there is no such file"
	if there == nil && !f.made {
		there, _ = f.part.Stat()
	}
	switch {
	case there == nil:
	case there.Size() < n:
		what = fmt.Sprintf("it has only %d", there.Size())
	default:
		what = "it has others"
	}
	return fmt.Errorf("%s: %w: the first %d bytes; %s", f.name, ErrMissing, n, what)
}

// begins reports whether a file has a prefix.
func begins(file *os.File, p Prefix) bool {
	sum := sha256.New()
	n, err := io.Copy(sum, io.NewSectionReader(file, 0, p.Bytes))
	return err == nil && n == p.Bytes && Sum(sum.Sum(nil)) == p.Sum
}

// sumOf returns the hash of a file.
func sumOf(file io.ReaderAt) (Sum, error) {
	sum := sha256.New()
	_, err := io.Copy(sum, io.NewSectionReader(file, 0, math.MaxInt64))
	return Sum(sum.Sum(nil)), err
}

// continues reports whether a file begins with the n bytes of an older one, which has no more.
func continues(file, old *os.File, n int64) bool {
	sum := sha256.New()
	_, err := io.Copy(sum, io.NewSectionReader(old, 0, n))
	return err == nil && begins(file, Prefix{Bytes: n, Sum: Sum(sum.Sum(nil))})
}

// isAt reports whether a name belongs to an open file. If the system cannot tell, it is asked again.
func isAt(file *os.File, name string) bool {
	for range 2 {
		opened, err := file.Stat()
		if err != nil {
			continue
		}
		there, err := os.Lstat(name)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return err == nil && os.SameFile(opened, there)
		}
	}
	return false
}

// remove removes a part file. If that fails, it is tried again, and then left to the next writer.
func remove(part string) {
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(part)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Holds reports whether path is a name of the file that f will become.
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
	f.synced = false
	n, err := f.part.Write(b)
	return n, named(f.name, err)
}

// WriteAt implements io.WriterAt.
func (f *File) WriteAt(b []byte, at int64) (int, error) {
	f.synced = false
	n, err := f.part.WriteAt(b, at)
	return n, named(f.name, err)
}

// Truncate changes the size of the file.
func (f *File) Truncate(size int64) error {
	f.synced = false
	return named(f.name, f.part.Truncate(size))
}

// Renew drops everything written so far. The part file is then another one of the same name. Other programs that have
// opened the part file before, and still write to it, have no effect.
func (f *File) Renew() error {
	mode := fs.FileMode(0o666)
	if info, err := f.part.Stat(); err == nil {
		mode = info.Mode().Perm()
	}
	if isAt(f.part, f.part.Name()) {
		remove(f.part.Name())
	}
	f.part.Close()
	f.synced, f.doubt = false, false
	return named(f.name, f.hold(mode, false))
}

// Copy writes everything written so far to w.
func (f *File) Copy(w io.Writer) error {
	n, err := f.part.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = io.Copy(w, io.NewSectionReader(f.part, 0, n))
	}
	return named(f.name, err)
}

// Sync flushes everything written to disk, so that Continue finds it in any case.
func (f *File) Sync() error { return named(f.name, f.sync()) }

// sync is Sync without the file's name in errors. After an error nothing is known about the bytes on disk, and the next
// call writes all of them again.
func (f *File) sync() error {
	if f.synced {
		return nil
	}
	if f.doubt {
		// The system may have dropped what it could not write, and would call the next sync a success.
		if err := rewrite(f.part); err != nil {
			return err
		}
	}
	err := f.part.Sync()
	f.synced, f.doubt = err == nil, err != nil
	return err
}

// rewrite writes all bytes of a file again, so that the next sync writes them to disk.
func rewrite(file *os.File) error {
	_, err := io.Copy(io.NewOffsetWriter(file, 0), io.NewSectionReader(file, 0, math.MaxInt64))
	return err
}

// Prepare flushes the file to disk and returns its hash. Commit then has only its name to give.
func (f *File) Prepare() (Sum, error) {
	if err := f.Sync(); err != nil {
		return Sum{}, err
	}
	sum, err := sumOf(f.part)
	return sum, named(f.name, err)
}

// Name is the name of the file as the caller gave it.
func (f *File) Name() string { return f.name }

// Part is the name of the file as long as it is written.
func (f *File) Part() string { return f.part.Name() }

// Commit flushes the file and gives it its final name. After an error no file is left, unless it has its name already.
func (f *File) Commit() error {
	if f.done {
		return fs.ErrClosed
	}
	defer f.part.Close()
	_, err := f.commit(false)
	return err
}

// CommitAll commits files that belong together. All are flushed before the first gets its name. After an error the
// others do not get theirs.
func CommitAll(files []*File) error {
	for _, f := range files {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// CommitOrLeave is Commit for a file that cannot be made again. After an error its part file is left for
// Continue, and the error names it.
func (f *File) CommitOrLeave() error {
	if f.done {
		return fs.ErrClosed
	}
	defer f.part.Close()
	published, err := f.commit(true)
	if err != nil && !published {
		return fmt.Errorf("%w; what was written is in %s", PathFirst(err), f.part.Name())
	}
	return err
}

// commit leaves the file open, and so locked, if the system allows that. It returns true if the file has its
// name, even if it fails afterwards.
func (f *File) commit(leave bool) (published bool, err error) {
	f.done = true
	part := f.part.Name()
	err = f.sync()
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
		if !leave {
			remove(part)
		}
		return false, named(f.name, err)
	}
	if err := syncFolder(filepath.Dir(f.path)); err != nil {
		var folder *fs.PathError
		if errors.As(err, &folder) {
			err = folder.Err
		}
		return true, &fs.PathError{Op: "sync", Path: f.name, Err: fmt.Errorf("%w: %w", ErrUnsynced, err)}
	}
	return true, nil
}

// publish moves the finished file to its name. Without force it uses a hard link if the file system has them,
// because a link, unlike a rename, fails if another process has made the name in the meantime.
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
		remove(part)
		return nil
	case errors.Is(err, fs.ErrExist):
		return existsError(f.name)
	}
	if exists(f.path) {
		return existsError(f.name)
	}
	return os.Rename(part, f.path)
}

// Leave ends the file as if its process had died. Continue can find the part that has been written.
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
		remove(part) // while no other process can have locked it
		f.part.Close()
		return
	}
	f.part.Close()
	if !renamesOpenFiles {
		remove(part)
	}
}

// Write creates path with the bytes that write produces. If write fails, no file is left.
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

// named turns a system error about a part file into one about the final file.
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
