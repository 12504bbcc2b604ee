package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestSlurmArray runs the array's script once for each shard, as sbatch does, with a program in the place of
// gosper that keeps its arguments.
func TestSlurmArray(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no Slurm on Windows")
	}
	bin := t.TempDir()
	stand := "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/calls\"\n"
	if err := os.WriteFile(filepath.Join(bin, "gosper"), []byte(stand), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(script string, env []string, args ...string) {
		t.Helper()
		cmd := exec.Command("bash", append([]string{"../slurm/" + script}, args...)...)
		cmd.Env = append(append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH")), env...)
		if _, err := output(cmd); err != nil {
			t.Fatal(err)
		}
	}
	for _, task := range []string{"1", "2"} {
		run("ensemble.sh", []string{"SLURM_ARRAY_TASK_ID=" + task, "SLURM_ARRAY_TASK_COUNT=2", "SLURM_CPUS_PER_TASK=8"},
			"soups.toml", "out")
	}
	checkpoint := filepath.Join(bin, "big.ckpt")
	run("run.sh", nil, checkpoint, "--size", "64")
	if err := os.WriteFile(checkpoint, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	run("run.sh", nil, checkpoint, "--size", "64")
	calls, err := os.ReadFile(filepath.Join(bin, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	want := `ensemble run soups.toml --out out --shard 1/2 --threads 8 --quiet
ensemble run soups.toml --out out --shard 2/2 --threads 8 --quiet
run --size 64 --checkpoint CKPT
run --resume CKPT --checkpoint CKPT
`
	if got := strings.ReplaceAll(string(calls), checkpoint, "CKPT"); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

// TestSlurmHosts runs the script of a universe on several nodes, with programs in the place of gosper and srun
// that keep their arguments.
func TestSlurmHosts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no Slurm on Windows")
	}
	bin := t.TempDir()
	for name, stand := range map[string]string{
		"srun":     `echo "$@" > "$(dirname "$0")/new"; mv "$(dirname "$0")/new" "$(dirname "$0")/workers"`,
		"gosper":   `while [ ! -e "$(dirname "$0")/workers" ]; do sleep 0.01; done; echo "$@" > "$(dirname "$0")/run"`,
		"hostname": "echo head",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+stand+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(bin, "saved")
	tokens := regexp.MustCompile("[0-9a-f]{32}")
	for i, want := range []string{
		"run --size 64 --hosts 3 --checkpoint DIR --serve 0.0.0.0:20007 --token TOKEN\n",
		"run --size 64 --hosts 3 --checkpoint DIR --serve 0.0.0.0:20007 --token TOKEN\n",
		"run --resume DIR --hosts 3 --checkpoint DIR --serve 0.0.0.0:20007 --token TOKEN\n",
	} {
		cmd := exec.Command("bash", "../slurm/hosts.sh", folder, "--size", "64")
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "SLURM_NNODES=3",
			"SLURM_JOB_ID=7", "SLURM_CPUS_PER_TASK=8")
		if _, err := output(cmd); err != nil {
			t.Fatal(err)
		}
		for file, want := range map[string]string{
			"run":     want,
			"workers": "--overlap gosper worker --nats nats://TOKEN@head:20007 --threads 8 --wait 10m --quiet\n",
		} {
			path := filepath.Join(bin, file)
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if text := tokens.ReplaceAllString(strings.ReplaceAll(string(got), folder, "DIR"), "TOKEN"); text != want {
				t.Errorf("%s, want %s", text, want)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		manifest := []string{`{"bands":null}`, `{"bands":[{"sha256":""}]}`, ""}[i] // the first one names no cells
		if err := os.WriteFile(filepath.Join(folder, "checkpoint.json"), []byte(manifest), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// manifest has the fields of a Kubernetes object that the test reads.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Selector map[string]string
		Ports    []struct{ Port int }
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				Volumes []struct {
					Name                  string
					PersistentVolumeClaim struct{ ClaimName string } `yaml:"persistentVolumeClaim"`
				}
				Containers []struct {
					Args         []string
					VolumeMounts []struct{ Name string } `yaml:"volumeMounts"`
				}
			}
		}
	}
}

// TestKubernetes holds the objects to each other: the service finds the head, workers find the service, and
// mounts name volumes.
func TestKubernetes(t *testing.T) {
	for file, names := range map[string][2]string{ // of the head and of the workers
		"ensemble.yaml": {"gosper-head", "gosper-workers"}, "hosts.yaml": {"gosper-hosts", "gosper-bands"},
	} {
		data, err := os.ReadFile("../kubernetes/" + file)
		if err != nil {
			t.Fatal(err)
		}
		objects := map[string]manifest{}
		for part := range bytes.SplitSeq(data, []byte("\n---\n")) {
			var m manifest
			if err := yaml.Unmarshal(part, &m); err != nil {
				t.Fatal(err)
			}
			objects[m.Kind+" "+m.Metadata.Name] = m
		}
		service, head, workers := objects["Service "+names[0]], objects["Job "+names[0]], objects["Job "+names[1]]
		if len(objects) != 4 || service.Spec.Selector["app"] != names[0] ||
			head.Spec.Template.Metadata.Labels["app"] != names[0] {
			t.Fatalf("%s: %+v", file, objects)
		}
		if got := strings.Join(workers.Spec.Template.Spec.Containers[0].Args, " "); !strings.Contains(got,
			"@"+names[0]+":4222") || service.Spec.Ports[0].Port != 4222 {
			t.Errorf("%s: the workers' arguments are %s", file, got)
		}
		for _, job := range []manifest{head, workers} {
			volumes := map[string]bool{}
			for _, v := range job.Spec.Template.Spec.Volumes {
				volumes[v.Name] = true
				claim := v.PersistentVolumeClaim.ClaimName
				if claim != "" && objects["PersistentVolumeClaim "+claim].Kind == "" {
					t.Errorf("%s: nothing claims %s", file, claim)
				}
			}
			for _, m := range job.Spec.Template.Spec.Containers[0].VolumeMounts {
				if !volumes[m.Name] {
					t.Errorf("%s: no volume %s", file, m.Name)
				}
			}
		}
	}
}

// TestWorkflows reads the workflows: they name the checks of the repository, and no secrets.
func TestWorkflows(t *testing.T) {
	paths, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(paths) < 2 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var w struct {
			Jobs map[string]struct {
				RunsOn string `yaml:"runs-on"`
				Steps  []struct{ Run, Uses string }
			}
		}
		if err := yaml.Unmarshal(data, &w); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for name, job := range w.Jobs {
			if job.RunsOn == "" || len(job.Steps) < 2 {
				t.Errorf("%s: job %s runs on %q in %d steps", path, name, job.RunsOn, len(job.Steps))
			}
		}
		if bytes.Contains(data, []byte("secrets.")) {
			t.Errorf("%s needs a secret", path)
		}
	}
}
