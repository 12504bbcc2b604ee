package run

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestEveryKeyOfTheSummaryIsExplained holds docs/running.md to what gosper run --json prints.
func TestEveryKeyOfTheSummaryIsExplained(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/running.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, field := range reflect.VisibleFields(reflect.TypeFor[summary]()) {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "" {
			continue
		}
		if n++; !strings.Contains(string(page), "`"+key+"`") {
			t.Errorf("docs/running.md does not explain %s", key)
		}
	}
	if n < 20 {
		t.Errorf("%d keys found", n)
	}
}
