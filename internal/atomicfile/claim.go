package atomicfile

import (
	"io"
	"io/fs"
	"os"
)

// Claim reserves a name to which files are written one after another, such as checkpoints. Each file is whole,
// and replaces only the one before.
type Claim struct {
	name  string
	force bool        // the first file may replace an existing one
	last  fs.FileInfo // of the last file written
	file  *os.File    // the last file, still locked; nil if there is none
	next  *File       // nil if there is none
}

// Hold reserves path as Create does.
func Hold(path string, force bool) (*Claim, error) {
	next, err := Create(path, force)
	return &Claim{name: path, force: force, next: next}, err
}

// Write fills path with the bytes that write produces. If write fails, path is unchanged.
func (c *Claim) Write(write func(io.Writer) error) error {
	if c.next == nil {
		var err error
		if c.next, err = open(c.name, request{force: c.force, replace: c.last}); err != nil {
			return err
		}
	}
	f := c.next
	if err := write(f); err != nil {
		c.renew()
		return err
	}
	info, err := f.part.Stat()
	published := false
	if err == nil {
		published, err = f.commit(false)
	}
	if !published {
		c.renew()
		return err
	}
	// The file that now has the name is locked, as the part file was.
	if c.file != nil {
		c.file.Close()
	}
	c.next, c.file, c.last, c.force = nil, f.part, info, false
	return err
}

// renew drops a part file that could not be finished, and keeps the name reserved.
func (c *Claim) renew() {
	c.next.Abort()
	c.next.part.Close()
	c.next, _ = open(c.name, request{force: c.force, replace: c.last}) // the next Write finds the error again
}

// Holds reports whether path is a name of the reserved file.
func (c *Claim) Holds(path string) bool { return c.next != nil && c.next.Holds(path) }

// Release frees the name for others.
func (c *Claim) Release() {
	if c.next != nil {
		c.next.Abort()
	}
	if c.file != nil {
		c.file.Close()
	}
}
