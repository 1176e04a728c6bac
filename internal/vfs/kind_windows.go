package vfs

import (
	"strings"

	"golang.org/x/sys/windows"
)

// Kind asks the volume. Only NTFS on a fixed drive is local.
func (d *osDir) Kind() (Kind, error) {
	path, err := wide(d.abs)
	if err != nil {
		return Kind{}, pathError("statfs", d.path, err)
	}
	var volume [windows.MAX_PATH + 1]uint16
	if err := windows.GetVolumePathName(path, &volume[0], uint32(len(volume))); err != nil {
		return Kind{}, pathError("statfs", d.path, failure(err))
	}
	var name [windows.MAX_PATH + 1]uint16
	err = windows.GetVolumeInformation(&volume[0], nil, 0, nil, nil, nil, &name[0], uint32(len(name)))
	if err != nil {
		return Kind{}, pathError("statfs", d.path, failure(err))
	}
	kind := strings.ToLower(windows.UTF16ToString(name[:]))
	fixed := windows.GetDriveType(&volume[0]) == windows.DRIVE_FIXED
	return Kind{Name: kind, Local: fixed && kind == "ntfs"}, nil
}
