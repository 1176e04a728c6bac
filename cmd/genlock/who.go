package main

import (
	"os"
	"os/user"
)

// userName is the name of who runs us, "" if the system does not tell.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return os.Getenv("USER")
	}
	return u.Username
}

// whoAndWhere signs what an operator does.
func whoAndWhere() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	name := userName()
	if name == "" {
		name = "unknown"
	}
	return name + "@" + host
}
