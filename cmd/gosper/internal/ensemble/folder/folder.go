// Package folder reads the folders of ensembles, for the commands that fill them and for the page that shows them.
package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/queue"
)

// specFile is the name of the file that says which ensemble a folder holds.
const specFile = "spec.json"

// Study reads the study of the ensemble in a folder. The error wraps fs.ErrNotExist if there is none.
func Study(dir string) (*ensemble.Study, error) {
	path := filepath.Join(dir, specFile)
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

// earlierFile has the specs of fewer generations that a folder had before.
const earlierFile = "earlier.json"

// Earlier reads the ensembles of fewer generations whose results are in a folder, too.
func Earlier(dir string) ([]*ensemble.Study, error) {
	path := filepath.Join(dir, earlierFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var specs []json.RawMessage
	if err := json.Unmarshal(text, &specs); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var studies []*ensemble.Study
	for _, text := range specs {
		spec, err := ensemble.Parse(path, text)
		if err != nil {
			return nil, err
		}
		study, err := spec.Check()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		studies = append(studies, study)
	}
	return studies, nil
}

// Write makes an existing folder that of an ensemble. If the ensemble goes on from one of fewer generations in the
// folder, the folder also records the earlier one.
func Write(dir string, study, before *ensemble.Study) error {
	if before != nil {
		earlier, err := Earlier(dir)
		if err != nil {
			return err
		}
		var specs []ensemble.Spec
		for _, p := range append(earlier, before) {
			specs = append(specs, p.Spec)
		}
		if err := write(dir, earlierFile, specs); err != nil {
			return err
		}
	}
	return write(dir, specFile, study.Spec)
}

// write replaces a file of the folder as a whole, so that a reader sees the old one or the new one.
func write(dir, name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, name), true, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// Adopt lets a study use results in folders, also those of fewer generations.
func Adopt(study *ensemble.Study, from ...*queue.Results) error {
	var keys []string
	var earlier []*ensemble.Study
	for _, r := range from {
		before, err := Earlier(r.Dir())
		if err != nil {
			return err
		}
		keys, earlier = append(keys, r.Keys()...), append(earlier, before...)
	}
	study.Adopt(keys, earlier...)
	return nil
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
