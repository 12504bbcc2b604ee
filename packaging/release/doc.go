// Command release builds the files of a release: an archive for each platform, packages for Debian and RPM, the source,
// a bill of materials of each program, the sums of all files, and the recipes of package managers with these sums
// filled in.
//
//	cd packaging && go run ./release
//
// The version is the tag of the commit. The same commit and the same Go make the same bytes. A test checks this. A
// tree with changes is refused.
//
// Folder packaging is a module of its own, so that the program does not depend on the packing libraries. Begin with
// Release in release.go.
package main
