// Package sums adds up, for cluster sizes and for objects, the sums that each job keeps over its universes.
package sums
