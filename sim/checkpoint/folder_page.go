//go:build page

package checkpoint

// openFolder refuses folders: the page has none.
func openFolder(string) (*File, error) { return nil, errForeign }

// isFolder returns false: the page has no folders.
func isFolder(string) bool { return false }
