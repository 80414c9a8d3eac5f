//go:build !unix

package cluster

import "io/fs"

// checkOwner accepts every file: on this system the permissions of the folder decide who can read and write it.
func checkOwner(fs.FileInfo) error { return nil }
