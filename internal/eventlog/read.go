package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// maxLine is the longest line that is read; ours are far shorter.
const maxLine = 1 << 20

// Read calls visit with every entry of the log at path, its predecessor first, in
// the order of the file: entries of different processes may be a little out of
// the order of their times. bad counts lines that are no entry. A log that is
// not there is fs.ErrNotExist.
func Read(path string, visit func(Entry)) (bad int, err error) {
	found := false
	for _, name := range []string{path + OldSuffix, path} {
		n, err := readFile(name, visit)
		bad += n
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return bad, err
		}
		found = found || err == nil
	}
	if !found {
		return bad, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return bad, nil
}

func readFile(name string, visit func(Entry)) (bad int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
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
