module genlock.dev/genlock/bench

go 1.26.0

require (
	genlock.dev/genlock v0.0.0
	github.com/gofrs/flock v0.12.1
)

require (
	github.com/google/uuid v1.6.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace genlock.dev/genlock => ../
