//go:build race

package cases

const raceDetector = true
