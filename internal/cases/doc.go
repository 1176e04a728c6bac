// Package cases holds the scenarios that people reported about locks of build
// caches, played with real processes, namespaces, users and images of file
// systems. TestCases prints one table of all of them: case, verdict, evidence,
// time.
//
//	go test ./internal/cases -run TestCases -v
//
// What the machine does not allow is skipped, with the reason in the table. Long
// stops are cut short by states; GENLOCK_CASES=long plays them in full.
//
// The program in switchoff takes the rungs of the ladder out, one after the other,
// and shows which tests notice.
package cases
