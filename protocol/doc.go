// Package protocol owns every byte and every name of the genlock lock protocol:
// formats, the grammar of names, records and their codec, and the errors that
// say what was found. It is pure: no files, no clock, no randomness of its own.
//
// Other programs read and write the same bytes. docs/protocol.md is the
// contract; the rule numbers in the comments of this module refer to it.
package protocol
