//go:build page

package rulefile

import "errors"

// function refuses @FUNCTION: the page has no room for it.
func (f *File) function(text) error {
	return errors.New("functions are not for the page without a server")
}
