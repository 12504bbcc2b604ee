package rulefile

// A browser has no folders.

func ownFolders() []string { return nil }

func golly() []string { return nil }

func findIn(string, func(name string) bool) (*File, error) { return nil, nil }
