package energy

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// raplPackage is the counter of one processor package.
type raplPackage struct {
	powercap fs.FS
	zone     string // such as intel-rapl:0, also for AMD
	round    uint64 // microjoules at which the counter wraps around
	last     uint64 // microjoules
	rounds   float64
}

// openPackages finds the counters of all processor packages in the folder powercap.
func openPackages(powercap fs.FS) ([]counter, error) {
	zones, err := fs.Glob(powercap, "intel-rapl:*")
	if err != nil {
		return nil, err
	}
	var packages []counter
	for _, zone := range zones {
		name, err := readText(powercap, zone+"/name")
		if err != nil || !strings.HasPrefix(name, "package-") {
			continue // a part of a package, or the whole platform
		}
		p := &raplPackage{powercap: powercap, zone: zone}
		if p.round, err = readNumber(powercap, zone+"/max_energy_range_uj"); err != nil {
			return nil, err
		}
		if p.last, err = readNumber(powercap, zone+"/energy_uj"); err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("%w: the system shows no energy counters of processors", ErrNotAvailable)
	}
	return packages, nil
}

func readText(powercap fs.FS, name string) (string, error) {
	data, err := fs.ReadFile(powercap, name)
	if err != nil {
		return "", fmt.Errorf("%w: energy counters of processors: %w", ErrNotAvailable, err)
	}
	return strings.TrimSpace(string(data)), nil
}

func readNumber(powercap fs.FS, name string) (uint64, error) {
	text, err := readText(powercap, name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %s holds %q", ErrNotAvailable, name, text)
	}
	return n, nil
}

// joules reads the counter. It starts again at zero after some minutes, which shows if it is lower
// than at the last reading. Readings must therefore come more often than that.
func (p *raplPackage) joules() (float64, error) {
	now, err := readNumber(p.powercap, p.zone+"/energy_uj")
	if err != nil {
		return 0, err
	}
	if now < p.last {
		p.rounds++
	}
	p.last = now
	return (p.rounds*float64(p.round) + float64(now)) / 1e6, nil
}

func (p *raplPackage) watts() (float64, error) { return 0, errNoPower }
