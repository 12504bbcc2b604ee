package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// build is the program for one platform.
type build struct {
	path    string
	program []byte
	info    *buildinfo.BuildInfo
}

// build compiles the program. Nothing of this machine gets into it: no paths, no settings but those that are
// named here.
func (r *Release) build(p Platform) (*build, error) {
	b := &build{path: filepath.Join(r.work, p.OS+"-"+p.Arch, p.program())}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", b.path, "./cmd/gosper")
	cmd.Dir = r.Source
	cmd.Env = append(os.Environ(), "GOOS="+p.OS, "GOARCH="+p.Arch, "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=",
		"GOAMD64=v1", "GOARM64=v8.0", "GOWORK=off")
	if _, err := output(cmd); err != nil {
		return nil, err
	}
	var err error
	if b.program, err = os.ReadFile(b.path); err != nil {
		return nil, err
	}
	b.info, err = buildinfo.Read(bytes.NewReader(b.program))
	return b, err
}

// licenceFile matches the names of licence files.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)`)

// licences collects the licences of Go and of all modules in the programs. A module without one is an error.
func (r *Release) licences(builds map[Platform]*build) ([]byte, error) {
	paths := map[string]bool{}
	for _, b := range builds {
		for _, m := range b.info.Deps {
			paths[m.Path] = true
		}
	}
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Path}}\t{{.Version}}\t{{.Dir}}")
	for path := range paths {
		cmd.Args = append(cmd.Args, path)
	}
	cmd.Dir = r.Source
	listed, err := output(cmd)
	if err != nil {
		return nil, err
	}
	root, err := output(exec.Command("go", "env", "GOROOT"))
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(listed)), "\n")
	lines = append(lines, "Go, its runtime and standard library\t\t"+strings.TrimSpace(string(root)))
	slices.Sort(lines)
	var b bytes.Buffer
	fmt.Fprint(&b, "Gosper contains the following software. Its own licence is in the file LICENSE.\n")
	for _, line := range lines {
		fields := strings.SplitN(line, "\t", 3)
		title, dir := strings.TrimSpace(fields[0]+" "+fields[1]), fields[2]
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		found := false
		for _, e := range entries {
			if !licenceFile.MatchString(e.Name()) || e.IsDir() {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), title, e.Name(),
				bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
			found = true
		}
		if !found {
			return nil, fmt.Errorf("%s has no file with a licence in %s", title, dir)
		}
	}
	return b.Bytes(), nil
}
