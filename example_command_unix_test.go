//go:build unix

package genlock_test

import (
	"fmt"
	"log"
	"os"
	"os/exec"

	"genlock.dev/genlock"
)

func ExampleLease_Run() {
	lease, done := acquired()
	defer done()
	// If this process is killed now, sh and whatever it starts keep the lock.
	cmd := exec.Command("sh", "-c", `echo "building under $(basename "$GENLOCK_LOCK")"`)
	cmd.Stdout = os.Stdout
	fmt.Println(lease.Run(cmd))
	// Output:
	// building under index.lock
	// <nil>
}

func ExampleLease_Start() {
	lease, done := acquired()
	defer done()
	cmd := exec.Command("sh", "-c", "exit 3")
	if err := lease.Start(cmd); err != nil {
		log.Fatal(err)
	}
	fmt.Println(cmd.Wait()) // release after the command has ended
	// Output: exit status 3
}

func ExampleStartAll() {
	a, doneA := acquired()
	defer doneA()
	b, doneB := acquired()
	defer doneB()
	cmd := exec.Command("sh", "-c", "echo under both")
	cmd.Stdout = os.Stdout
	if err := genlock.StartAll(cmd, a, b); err != nil {
		log.Fatal(err)
	}
	fmt.Println(cmd.Wait())
	// Output:
	// under both
	// <nil>
}
