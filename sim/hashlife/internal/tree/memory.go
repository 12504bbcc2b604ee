package tree

// hugePage is the bytes of a huge page. A shorter list gets no huge pages.
const hugePage = 2 << 20

// release frees the memory of a list made by Resized.
func release[T any](list *[]T) error {
	_, err := resized(*list, 0)
	*list = nil
	return err
}
