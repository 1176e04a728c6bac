package main

import (
	"regexp"
	"strings"
)

const hole = "{}"

// assignment is an argument such as -o={} or OUT={}/bin: a flag's or variable's
// name, and a value without white space. A shell script that happens to
// contain {} is none.
var assignment = regexp.MustCompile(`^[-+A-Za-z0-9_.]+=\S*$`)

// fillIn puts the staging path into the arguments that ask for it.
func fillIn(argv []string, out string) []string {
	if out == "" {
		return argv
	}
	filled := make([]string, len(argv))
	for i, arg := range argv {
		filled[i] = arg
		if name, value, ok := strings.Cut(arg, "="); arg == hole {
			filled[i] = out
		} else if ok && assignment.MatchString(arg) {
			filled[i] = name + "=" + strings.ReplaceAll(value, hole, out)
		}
	}
	return filled
}
