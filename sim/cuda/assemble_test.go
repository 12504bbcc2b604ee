package cuda

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cuda/internal/patches"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/sim/cuda/internal/wavefront"
	"github.com/gosper-life/gosper/topology"
)

// Where NVIDIA's assembler is installed it takes the kernels of every kind, without spilling registers for
// Hopper, the GPU that the plans were made on.
func TestKernelsAssemble(t *testing.T) {
	t.Parallel()
	ptxas, err := exec.LookPath("ptxas")
	if err != nil {
		t.Skip("no ptxas")
	}
	spills := regexp.MustCompile(`([0-9]+) bytes spill stores`)
	used := regexp.MustCompile(`Used [0-9]+ registers`)
	for _, c := range []struct{ rule, topology string }{
		{"B3/S23", "T65536,65536"},
		{"B3/S23", "T1024,1024"},
		{"B3/S23", "T4096,4096"},
		{"345/2/7", "T2048,2048"},
		{"B3/S23", "P4096,4096"},
		{"B2n3/S23-q", "T65536,65536"},
		{"345/2/7", "T65536,65536"},
		{"R2,C0,M0,S7..12,B8..11,NM", "T65536,65536"},
		{"R5,C0,M0,S35..59,B34..45,NM", "T65536,65536"},
		{"R16,C0,M0,S170..296,B170..300,NM", "T65536,65536"},
		{"R110,C0,M1,S15000..22000,B17000..21000,NM", "T65536,65536"},
		{"R500,C0,M1,S300000..450000,B350000..430000,NM", "P65536,65536"},
		{"R50,C0,M0,S1500..2500,B1700..2300,NN", "T65536,65536"},
		{"R200,C0,M0,S24000..40000,B26000..36000,NN", "T65536,65536"},
		{"B3/S23~flip=0.001", "T65536,65536"},
		{"Ising~T=2.3", "T65536,65536"},
		{"Potts~q=3,T=0.98", "P4096,4096"},
		{"3D4,5/5", "T4096,4096,4096"},
		{"3D4,5/5", "P256,256,256"},
		{"4/4/5/M", "T1000,1000,1000"},
		{"3DR2,C0,M0,S25..43,B25..35,NM", "T1024,1024,1024"},
		{"3DR5,C0,M1,S380..700,B405..520,NM", "T1024,1024,1024"},
	} {
		r, err := rule.Parse(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		top, err := topology.Parse(c.topology)
		if err != nil {
			t.Fatal(err)
		}
		cfg := lifeOn(c.topology)
		cfg.Rule = r
		compiled := plan.Programs{}
		p, small := compiled.ChoosePatches(cfg, 132)
		if !small {
			if p, err = compiled.Choose(cfg); err != nil {
				t.Fatal(err)
			}
		}
		f, err := compiled.Of(cfg, p)
		if err != nil {
			t.Fatal(err)
		}
		var m ptx.Module
		if p.Patches {
			patches.Write(&m, "patches", f, p.OfPatches())
		} else {
			wavefront.Write(&m, "stream", f, p.OfStrips(top))
		}
		dir := t.TempDir()
		text := filepath.Join(dir, "kernel.ptx")
		if err := os.WriteFile(text, []byte(m.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(ptxas, "-v", "-arch=sm_90", "-o", filepath.Join(dir, "kernel.cubin"), text).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", c.rule, err, out)
			continue
		}
		t.Logf("%s on %s, %v: %s", c.rule, c.topology, p, used.Find(out))
		if found := spills.FindSubmatch(out); (p.Depth == 1 || p.Patches) && found != nil && string(found[1]) != "0" {
			t.Errorf("%s: %s", c.rule, strings.TrimSpace(string(found[0])))
		}
	}
}
