package static

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestWorkerIsForBrowsers: the program of the page without a server has nothing of what browsers do not have,
// or need not load.
func TestWorkerIsForBrowsers(t *testing.T) {
	list := exec.Command("go", "list", "-deps", workerProgram)
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if len(packages) < 50 {
		t.Fatalf("only %d packages: the test is blind", len(packages))
	}
	for _, p := range packages {
		switch p {
		case "net", "net/http", "regexp", "crypto/rand", "text/template", "image/png", "github.com/ebitengine/purego",
			"github.com/andybalholm/brotli":
			t.Errorf("it has %s", p)
		}
	}
}
