package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"genlock.dev/genlock/internal/vfs"
)

// maxLine is the longest line that is read; ours are far shorter.
const maxLine = 1 << 20

// Read calls visit with every entry of the log, its predecessor first, in
// the order of the file: entries of different processes may be a little out of
// the order of their times. bad counts lines that are no entry. A log that is
// not there is fs.ErrNotExist, and one that is no regular file vfs.ErrNotRegular:
// reading a fifo would take its entries from whoever they are for.
func (l Log) Read(visit func(Entry)) (bad int, err error) {
	path, found := l.Path, false
	if there, err := l.real(); err == nil {
		path = there
	}
	for _, name := range []string{path + OldSuffix, path} {
		n, err := l.readFile(name, visit)
		bad += n
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return bad, err
		}
		found = found || err == nil
	}
	if !found {
		return bad, &fs.PathError{Op: "open", Path: l.Path, Err: fs.ErrNotExist}
	}
	return bad, nil
}

func (l Log) readFile(name string, visit func(Entry)) (bad int, err error) {
	f, err := l.openFile(name, os.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, errors.Join(err, &fs.PathError{Op: "read", Path: name, Err: vfs.ErrNotRegular})
	}
	r := bufio.NewReader(f)
	for {
		line, err := readLine(r)
		if len(bytes.TrimSpace(line)) > 0 {
			if e, ok := parse(line); ok {
				visit(e)
			} else {
				bad++
			}
		}
		if err == io.EOF {
			return bad, nil
		}
		if err != nil {
			return bad, err
		}
	}
}

// readLine reads one line. Of a line that is too long only the beginning comes,
// which no parser accepts.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line) < maxLine {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
