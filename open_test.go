package gosper_test

import (
	"errors"
	"testing"

	"github.com/gosper-life/gosper"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
)

// TestOpenSaysWhatIsWrong checks the types of errors that the documentation of Open promises.
func TestOpenSaysWhatIsWrong(t *testing.T) {
	var syntax *rule.SyntaxError
	for _, notation := range []string{"B3/S2x", "no such rule", "B3/S23:T10,10x", "B3/S23:Q3,4"} {
		if _, err := gosper.Open(notation); !errors.As(err, &syntax) || syntax.Input != notation {
			t.Errorf("%q: %v", notation, err)
		}
	}
	var unsupported *sim.Unsupported
	if _, err := gosper.Open("B0/S8:P4,0"); !errors.As(err, &unsupported) {
		t.Errorf("got %v, want that no engine runs B0 on a strip with dead edges", err)
	}
}
