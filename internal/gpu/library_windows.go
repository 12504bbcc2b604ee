package gpu

// libraries are the names of the driver's library.
func libraries() []string { return []string{"nvcuda.dll"} }
