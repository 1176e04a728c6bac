module genlock.dev/genlock

go 1.26
