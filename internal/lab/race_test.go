//go:build race

package lab

// raceDetector makes everything ten times slower.
const raceDetector = true
