// Package sums is what a job knows of kinds of things, cluster sizes and objects: sums over its universes that a merge adds up.
package sums
