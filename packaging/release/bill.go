package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// bill is the bill of materials of a program: the modules that its own build information lists, as CycloneDX JSON.
func (r *Release) bill(p Platform, b *build) ([]byte, error) {
	component := func(path, version string) cyclonedx.Component {
		url := fmt.Sprintf("pkg:golang/%s@%s", path, version)
		return cyclonedx.Component{
			Type: cyclonedx.ComponentTypeLibrary, BOMRef: url, PackageURL: url, Name: path,
			Version: version,
		}
	}
	program := component(b.info.Main.Path, r.version)
	program.Type = cyclonedx.ComponentTypeApplication
	program.Name = "gosper"
	program.Licenses = &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}}
	program.Hashes = &[]cyclonedx.Hash{{
		Algorithm: cyclonedx.HashAlgoSHA256,
		Value:     fmt.Sprintf("%x", sha256.Sum256(b.program)),
	}}
	program.Properties = &[]cyclonedx.Property{{Name: "platform", Value: p.String()}}

	libraries := []cyclonedx.Component{component("std", b.info.GoVersion)}
	for _, m := range b.info.Deps {
		c := component(m.Path, m.Version)
		c.Properties = &[]cyclonedx.Property{{Name: "go.sum", Value: m.Sum}}
		libraries = append(libraries, c)
	}
	var refs []string
	for _, c := range libraries {
		refs = append(refs, c.BOMRef)
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.time.Format(time.RFC3339), Component: &program}
	bom.Components = &libraries
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: program.BOMRef, Dependencies: &refs}}
	var out bytes.Buffer
	err := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	return out.Bytes(), err
}
