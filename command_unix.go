//go:build unix

package genlock

import (
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// witnessFD is the lowest number under which a command inherits the witness. Low
// ones collide with make's jobserver, `exec 3>` and redirections.
const witnessFD = 100

// startWithWitnesses places witnesses at high numbers of the child alone. There
// is no moment at which another child of this process could inherit it:
// every descriptor here is close-on-exec, and the numbers are arranged in
// the child.
//
// With track, the child inherits the end of a pipe beside them that nobody writes
// to, and gone tells whether the last process of its tree has closed it.
func startWithWitnesses(cmd *exec.Cmd, witnesses []uintptr, track bool) (gone func() bool, err error) {
	given := cmd.ExtraFiles
	var opened []*os.File
	defer func() {
		cmd.ExtraFiles = given
		for _, f := range opened {
			f.Close()
		}
	}()
	pass := func(f *os.File) {
		if f != nil {
			opened = append(opened, f)
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	}
	free := func() { // up to the next high number that the child has no use for
		for fd := 3 + len(cmd.ExtraFiles); ; fd++ {
			f := passedOn(fd)
			if f == nil && fd >= witnessFD {
				return
			}
			pass(f)
		}
	}
	for _, w := range witnesses {
		free()
		f, err := duplicate(int(w), 3+len(cmd.ExtraFiles))
		if err != nil {
			return nil, err
		}
		pass(f)
	}
	if !track {
		return nil, cmd.Start()
	}
	ends, tree, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	free()
	end, err := duplicate(int(tree.Fd()), 3+len(cmd.ExtraFiles))
	tree.Close()
	if err != nil {
		ends.Close()
		return nil, err
	}
	pass(end)
	if err := cmd.Start(); err != nil {
		ends.Close()
		return nil, err
	}
	return func() bool { return ended(ends) }, nil
}

// ended tells whether nobody holds the other end of the pipe any more. It may be
// asked once.
func ended(ends *os.File) bool {
	defer ends.Close()
	raw, err := ends.SyscallConn()
	if err != nil {
		return false
	}
	n := -1
	rerr := raw.Read(func(fd uintptr) bool {
		n, err = unix.Read(int(fd), make([]byte, 1))
		return true // once: the descriptor does not block
	})
	return rerr == nil && err == nil && n == 0
}

// passedOn duplicates descriptor fd if a child would inherit it: without this,
// naming a high descriptor would close the lower ones. nil if it would not.
func passedOn(fd int) *os.File {
	if !inherited(fd) {
		return nil
	}
	f, err := duplicate(fd, fd)
	if err != nil {
		return nil
	}
	return f
}

func inherited(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC == 0
}

// duplicate duplicates fd, for the child's number target. In the child, package
// syscall moves what comes from below its target, and a pipe of its own, to the
// numbers after the highest one: none comes from below, and the number after each
// is not one that was inherited.
func duplicate(fd, target int) (*os.File, error) {
	for least := target + 1; ; {
		d, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, least)
		if err == unix.EINVAL {
			err = unix.EMFILE // the limit of open files is below that number
		}
		if err != nil {
			return nil, os.NewSyscallError("fcntl", err)
		}
		if !inherited(d + 1) {
			return os.NewFile(uintptr(d), "inherited"), nil
		}
		unix.Close(d)
		least = d + 2
	}
}
