package checkpoint

// Version is the format version, for tests of another package.
const Version = formatVersion
