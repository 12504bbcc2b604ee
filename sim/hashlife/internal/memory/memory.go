// Package memory has lists of values that the system enlarges in place and puts on huge pages, if it can.
package memory

// HugePage is the bytes of a huge page. A list that is shorter gets none.
const HugePage = 2 << 20

// Release frees the memory of a list made by Resized.
func Release[T any](list *[]T) error {
	_, err := Resized(*list, 0)
	*list = nil
	return err
}
