package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// A house is a PID namespace: a first process, whose death kills all inside, and its
// members. With Proc it has its own /proc, otherwise the one of outside, as after
// unshare -p.

func houseAttr(proc bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if proc {
		a.Cloneflags |= syscall.CLONE_NEWNS
	}
	if os.Geteuid() != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	return a
}

// housesLack says why there are no houses here.
func housesLack() []string {
	cmd := exec.Command("/proc/self/exe", "-h")
	cmd.SysProcAttr = houseAttr(true)
	if err := cmd.Start(); err != nil {
		return []string{"kills of a whole PID namespace: " + err.Error()}
	}
	cmd.Wait()
	return nil
}

func (t task) house() error {
	if t.Proc {
		if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
			return fmt.Errorf("private mounts: %w", err)
		}
		// The copy of a mount that was read-only when this house began stays so.
		syscall.Mount("", t.Plan.Frail, "", syscall.MS_REMOUNT|syscall.MS_BIND, "")
		if err := syscall.Mount("proc", "/proc", "proc", 0, ""); err != nil {
			return fmt.Errorf("mounting /proc: %w", err)
		}
	}
	var members []*exec.Cmd
	for i := range t.Members {
		member := t
		member.Role, member.Who = "worker", fmt.Sprintf("%s/%d", t.Who, i)
		cmd, err := summon(member)
		if err != nil {
			return err
		}
		if _, err := cmd.StdinPipe(); err != nil { // it ends with this process
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		members = append(members, cmd)
	}
	for _, cmd := range members {
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("member of %s: %w", t.Who, err)
		}
	}
	return nil
}
