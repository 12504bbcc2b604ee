package house

import (
	"os"
	"testing"
)

// TestMain runs the tests in the root of the repository, where their paths begin.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
