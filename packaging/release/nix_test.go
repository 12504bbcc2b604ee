package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

var update = flag.Bool("update", false, "write the hash of the vendored modules into flake.nix")

var vendorHash = regexp.MustCompile(`vendorHash = "([^"]*)"`)

// TestNixHash holds the hash in flake.nix to the modules of go.sum.
func TestNixHash(t *testing.T) {
	if testing.Short() {
		t.Skip("copies all modules: not with -short")
	}
	dir := filepath.Join(t.TempDir(), "vendor")
	vendor := exec.Command("go", "mod", "vendor", "-o", dir)
	vendor.Dir = "../.."
	if _, err := output(vendor); err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	narString(h, "nix-archive-1")
	if err := narNode(h, dir); err != nil {
		t.Fatal(err)
	}
	want := "sha256-" + base64.StdEncoding.EncodeToString(h.Sum(nil))
	const path = "../../flake.nix"
	flake, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := vendorHash.FindSubmatch(flake)
	if got == nil {
		t.Fatalf("%s has no hash", path)
	}
	if *update {
		if err := os.WriteFile(path, bytes.Replace(flake, got[0], []byte(`vendorHash = "`+want+`"`), 1), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(got[1]) != want {
		t.Errorf("flake.nix has %s, the modules have %s: (cd packaging && go test ./release -run NixHash -update)", got[1],
			want)
	}
}

// narString writes a text as Nix's archives have it: length, bytes, and zeros to a multiple of eight.
func narString(w io.Writer, s string) {
	_ = binary.Write(w, binary.LittleEndian, uint64(len(s)))
	_, _ = io.WriteString(w, s)
	_, _ = w.Write(make([]byte, (8-len(s)%8)%8))
}

// narNode writes a file or folder as an archive of Nix (Dolstra, The Purely Functional Software Deployment
// Model, figure 5.2).
func narNode(w io.Writer, path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	narString(w, "(")
	narString(w, "type")
	if info.Mode().IsRegular() {
		narString(w, "regular")
		if info.Mode()&0o100 != 0 {
			narString(w, "executable")
			narString(w, "")
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		narString(w, "contents")
		narString(w, string(data))
		narString(w, ")")
		return nil
	}
	narString(w, "directory")
	entries, err := os.ReadDir(path) // in the order of names
	if err != nil {
		return err
	}
	for _, e := range entries {
		for _, s := range []string{"entry", "(", "name", e.Name(), "node"} {
			narString(w, s)
		}
		if err := narNode(w, filepath.Join(path, e.Name())); err != nil {
			return err
		}
		narString(w, ")")
	}
	narString(w, ")")
	return nil
}

// TestNarOfAFile compares with an archive written out by hand.
func TestNarOfAFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("hello\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := narNode(&b, dir); err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	for _, s := range []string{
		"\x01(", "\x04type", "\x09directory", "\x05entry", "\x01(", "\x04name", "\x01f", "\x04node",
		"\x01(", "\x04type", "\x07regular", "\x08contents", "\x06hello\n", "\x01)", "\x01)", "\x01)",
	} {
		want.WriteString(s[:1] + "\x00\x00\x00\x00\x00\x00\x00" + s[1:])
		for want.Len()%8 != 0 {
			want.WriteByte(0)
		}
	}
	if !bytes.Equal(b.Bytes(), want.Bytes()) {
		t.Errorf("%q, want\n%q", b.Bytes(), want.Bytes())
	}
}
