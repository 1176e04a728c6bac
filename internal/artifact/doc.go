// Package artifact stages what a tenure builds and publishes it at the
// artifact's path (rule 14).
//
// The order of one tenure is Sweep, look (Exists), Prepare, build, Publish,
// Discard. All of it happens under the lock, yet none of it may trust that the
// lock is still held: a holder can be stopped between any two system calls for
// as long as it takes others to break its lock, build and publish. So nothing
// here checks and then acts. Every step that others can see is one rename(2)
// through a path that disappears when the generation is retired:
//
//   - The artifact is built in current/stage-<generation>/ and renamed from
//     there by path. Retiring the generation renames current, after which the
//     path leads nowhere and the rename fails with ENOENT.
//   - An artifact on another file system than its lock is copied to
//     <artifact>.genlock-<generation>/ first. That path disappears because the
//     successor sweeps it before it looks at the artifact (see makeBeside).
//
// What remains is the inside of the one system call: a kernel that has resolved
// the path and not yet renamed. No signal stops a process there.
//
// Directory handles are used for what only concerns the staging itself, since a
// handle survives the retirement. Publishing through one would be no fence.
//
// What the caller may not assume:
//
//   - One artifact belongs to one lock. A second lock for the same path would
//     sweep the first one's stagings.
//   - A reader that wants one version of a directory opens it once and reads
//     through that handle. When something is missing there, the directory was
//     replaced if the path leads elsewhere by now: open it again. At no time
//     does the path lead to a half-written one.
//   - A copy to another file system keeps contents, modes and links. It keeps
//     neither times, owners, extended attributes, holes nor hard links.
//   - The fence does not reach what a command writes elsewhere by itself.
package artifact
