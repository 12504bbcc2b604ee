// Package folder reads the folders of ensembles, for the commands that fill them and for the page that shows them.
package folder

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/queue"
)

// SpecFile is the name of the file that says which ensemble a folder holds.
const SpecFile = "spec.json"

// Study reads the study of the ensemble in a folder. The error wraps fs.ErrNotExist if there is none.
func Study(dir string) (*ensemble.Study, error) {
	path := filepath.Join(dir, SpecFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s holds no ensemble: %w", dir, err)
	}
	spec, err := ensemble.Parse(path, text)
	if err != nil {
		return nil, err
	}
	return spec.Check()
}

// Load returns the result of a job in one of some folders. It fails if there are different ones.
func Load(key string, from ...*queue.Results) ([]byte, error) {
	var found []byte
	var where string
	for _, r := range from {
		if !r.Has(key) {
			continue
		}
		all, err := r.Load(key)
		if err != nil {
			return nil, err
		}
		for _, data := range all {
			if found == nil {
				found, where = data, r.Dir()
			} else if !ensemble.SameResult(found, data) {
				return nil, fmt.Errorf("job %.12s… has different results in %s and %s", key, where, r.Dir())
			}
		}
	}
	if found == nil {
		return nil, fmt.Errorf("the result of job %.12s… is gone", key)
	}
	return found, nil
}
