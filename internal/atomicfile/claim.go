package atomicfile

import (
	"io"
	"io/fs"
	"os"
)

// Claim holds a name to which files are written one after another, as checkpoints are. Each file is whole, and replaces only the one before.
type Claim struct {
	name  string
	force bool        // the first may replace what is there
	last  fs.FileInfo // of the file written last
	file  *os.File    // it, still locked; nil: none
	next  *File       // nil: none
}

// Hold claims path as Create does.
func Hold(path string, force bool) (*Claim, error) {
	next, err := Create(path, force)
	return &Claim{name: path, force: force, next: next}, err
}

// Write makes path what write produces, or leaves it as it is when write fails.
func (c *Claim) Write(write func(io.Writer) error) error {
	if c.next == nil {
		var err error
		if c.next, _, err = open(c.name, c.force, c.last, nil); err != nil {
			return err
		}
	}
	f := c.next
	if err := write(f); err != nil {
		c.renew()
		return err
	}
	info, err := f.part.Stat()
	if err == nil {
		err = f.commit()
	}
	if err != nil {
		c.renew()
		return err
	}
	// The file that has the name now is locked, as the part file was.
	if c.file != nil {
		c.file.Close()
	}
	c.next, c.file, c.last, c.force = nil, f.part, info, false
	return nil
}

// renew drops a part file that could not be finished, and goes on holding the name.
func (c *Claim) renew() {
	c.next.Abort()
	c.next.part.Close()
	c.next, _, _ = open(c.name, c.force, c.last, nil) // what is wrong is found again by the next Write
}

// Holds reports whether path is a name of the file that the claim is for.
func (c *Claim) Holds(path string) bool { return c.next != nil && c.next.Holds(path) }

// Release lets others write there.
func (c *Claim) Release() {
	if c.next != nil {
		c.next.Abort()
	}
	if c.file != nil {
		c.file.Close()
	}
}
