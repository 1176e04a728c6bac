// Package lab is the laboratory: tests that make every operation of every verb
// fail, that kill a process and cut the power after each of them, and that put
// arbitrary trees in a root's place.
//
// All of it runs on the model file system, with a virtual clock and processes
// that exist only as an entry in a table. TestLaboratory prints what was tried.
// docs/testing.md says within which bounds, how to replay a finding, and how to
// add a fault or an invariant.
package lab
