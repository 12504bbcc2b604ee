package cuda

import "github.com/gosper-life/gosper/component"

// Clusters implements sim.ClusterCounter.
func (e *engine) Clusters(c component.Connectivity) (found component.Clusters, err error) {
	err = e.access(func() error {
		var err error
		found, err = e.cells.Clusters(c)
		return err
	})
	return found, err
}
