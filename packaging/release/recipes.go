package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os/exec"
	"path/filepath"
	"text/template"
)

// recipes writes the archive of the source, and what package managers need to build from it.
func (r *Release) recipes() error {
	base := r.name() + "_source"
	cmd := exec.Command("git", "archive", "--format=tar", "--prefix="+base+"/", "HEAD")
	cmd.Dir = r.Source
	tar, err := output(cmd)
	if err != nil {
		return err
	}
	source, err := gzipped(tar)
	if err != nil {
		return err
	}
	if err := r.write(base+".tar.gz", source); err != nil {
		return err
	}
	values := struct{ Version, URL, SHA256 string }{
		Version: r.number(),
		URL:     fmt.Sprintf("https://github.com/gosper-life/gosper/releases/download/%s/%s.tar.gz", r.version, base),
		SHA256:  fmt.Sprintf("%x", sha256.Sum256(source)),
	}
	for recipe, name := range map[string]string{
		"homebrew/gosper.rb.tmpl": "gosper.rb",
		"conda/meta.yaml.tmpl":    "meta.yaml",
	} {
		t, err := template.New(filepath.Base(recipe)).Delims("<<", ">>").
			ParseFiles(filepath.Join(r.Source, "packaging", filepath.FromSlash(recipe)))
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, values); err != nil {
			return err
		}
		if err := r.write(name, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
