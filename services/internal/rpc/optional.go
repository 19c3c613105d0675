package rpc

// Optional is absent for the zero value, which is answered as null.
func Optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
