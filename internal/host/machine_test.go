package host

import (
	"encoding/json"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThisMachine(t *testing.T) {
	m := ThisMachine()
	if m.Cores < 1 || m.OS != runtime.GOOS || m.Arch != runtime.GOARCH || m.Go != runtime.Version() {
		t.Errorf("%+v", m)
	}
}

// TestJSON holds the keys that readers of manifests and of --json rely on.
func TestJSON(t *testing.T) {
	for _, test := range []struct {
		value any
		keys  []string
	}{
		{Machine{}, []string{"arch", "caches", "cores", "cpu", "extensions", "go", "memory", "os"}},
		{Cache{}, []string{"bytes", "level"}},
	} {
		text, err := json.Marshal(test.value)
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.keys, slices.Sorted(maps.Keys(object))); diff != "" {
			t.Errorf("%T (-want +got):\n%s", test.value, diff)
		}
	}
}
