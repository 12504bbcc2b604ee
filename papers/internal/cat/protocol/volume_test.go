//go:build linux

package protocol

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/cudagen/cudatest"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/cat"
	"github.com/gosper-life/gosper/papers/internal/cat/report"
)

// Volumes are measured, compared with Gosper's engine and shown, on a device that stands in for a GPU.
func TestVolumes(t *testing.T) {
	e, err := experiment.Start(cat.Name, experiment.Options{Engine: "reference"})
	if err != nil {
		t.Fatal(err)
	}
	s := sweep{
		volumeSide: 8, volumeRadii: []int{1, 2},
		protocol: experiment.Protocol{Generations: 1, Least: 2, Most: 2},
	}
	r := run{sweep: s, Run: e, d: cudatest.Device(t, "../testdata/host.cpp"), device: "stand-in"}
	if err := r.jobsInTurn(t.Context(), r.jobs([]string{"volume"}, true, 0)); err != nil {
		t.Fatal(err)
	}
	if err := r.unload(); err != nil {
		t.Fatal(err)
	}
	rows := r.Rows()
	for i, m := range rows {
		if m.Width != 8 || m.Height != 64 || m.Parameter(cat.ParameterLayers) != "8" ||
			m.Method == string(cat.Volume) && m.Compared != 2 {
			t.Errorf("row %+v", m)
		}
		rows[i].Device, rows[i].StdErr = "stand-in", nil
	}
	if len(rows) != 6 {
		t.Fatalf("%d rows", len(rows))
	}
	rows[0].CellsPerSec, rows[1].CellsPerSec, rows[2].CellsPerSec = 1e12, 2e12, 4e12
	var text strings.Builder
	if err := experiment.WriteTables(&text, report.Tables(rows)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "CAT in three dimensions: cells a second, 8³ cells, stand-in") ||
		!strings.Contains(text.String(), "| 1 | 1e12                | 2e12                | 4e12") ||
		!strings.Contains(text.String(), "| 8³ cells") {
		t.Error(text.String())
	}
}
