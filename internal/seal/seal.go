// Package seal lets the public packages hand each other values of internal types
// without naming those types in an exported signature.
//
// A public type embeds a Box through an unexported alias:
//
//	type box = seal.Box[*tree.Root]
//	type Root struct{ box }
//
// The package that needs the value calls Open. Nobody outside this module can.
package seal

// Box holds one value of an internal type.
type Box[T any] struct{ value T }

// Wrap puts value into a box.
func Wrap[T any](value T) Box[T] { return Box[T]{value} }

func (b Box[T]) unseal() T { return b.value }

// Sealed is any type that embeds a Box[T].
type Sealed[T any] interface{ unseal() T }

// Open returns the value in s.
func Open[T any](s Sealed[T]) T { return s.unseal() }
