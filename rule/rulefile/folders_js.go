package rulefile

// A browser has no folders.

func ownFolders() []string { return nil }

func golly() []string { return nil }

func read(string) (*File, error) { return nil, nil }

func findIn(string, string, way) (*File, error) { return nil, nil }
