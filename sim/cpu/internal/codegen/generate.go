package codegen

//go:generate go run ./gen
