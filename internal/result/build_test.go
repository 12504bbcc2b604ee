package result

import (
	"runtime/debug"
	"testing"
)

// A program reports its source revision, for all ways of building it.
func TestBuildRevision(t *testing.T) {
	vcs := func(revision, modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
	}
	for _, c := range []struct {
		name, version string
		settings      []debug.BuildSetting
		source        string
		traced        bool
	}{
		{"go install by a tag", "v1.2.3", nil, "v1.2.3", true},
		{"go install of a revision", "v0.0.0-20261122120000-0123456789ab", nil, "0123456789ab", true},
		{"go install of a revision after a tag", "v1.2.4-0.20261122120000-0123456789ab", nil, "0123456789ab", true},
		{"a release from a clone", "v1.2.3", vcs("0123456789abcdef", "false"), "0123456789ab", true},
		{"a changed clone", "v1.2.3+dirty", vcs("0123456789abcdef", "true"), "0123456789ab+", false},
		{"go run without a clone", "(devel)", nil, "unknown", false},
		{"a test", "", nil, "unknown", false},
	} {
		b := Build{Revision: "unknown"}
		b.read(&debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings})
		if b.Source() != c.source || (b.Warning() == "") != c.traced {
			t.Errorf("%s: %q, %q", c.name, b.Source(), b.Warning())
		}
	}
}

// TestReleaseOfAnArchive checks that the version that the linker was told is used if the build has no history.
func TestReleaseOfAnArchive(t *testing.T) {
	release = "v1.2.3"
	defer func() { release = "" }()
	if b := ThisBuild(); b.Version != "v1.2.3" || b.Source() != "v1.2.3" || b.Warning() != "" {
		t.Errorf("%+v", b)
	}
}
