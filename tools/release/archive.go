package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// file is an entry of an archive.
type file struct {
	name, path string // in the archive, and on disk
	program    bool   // may be run
}

// mode is that of the entry, whatever the file's is.
func (f file) mode() int64 {
	if f.program {
		return 0o755
	}
	return 0o644
}

// tree lists the files below a folder, under a name in the archive. Scripts that may be run stay so.
func tree(folder, name string) (list []file, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		inner, err := filepath.Rel(folder, path)
		list = append(list, file{filepath.Join(name, inner), path, info.Mode()&0o100 != 0})
		return err
	})
	return list, err
}

// sorted are the entries by name, with slashes.
func sorted(files []file) []file {
	list := slices.Clone(files)
	for k := range list {
		list[k].name = filepath.ToSlash(list[k].name)
	}
	slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return list
}

// tarball writes a gzipped tar archive.
func (r *release) tarball(path string, files []file) error {
	return create(path, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		t := tar.NewWriter(z)
		for _, f := range sorted(files) {
			err := copyInto(f, func(size int64) (io.Writer, error) {
				return t, t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: size, Mode: f.mode(),
					ModTime: r.epoch})
			})
			if err != nil {
				return err
			}
		}
		return errors.Join(t.Close(), z.Close())
	})
}

// zipped writes a zip archive.
func (r *release) zipped(path string, files []file) error {
	return create(path, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, f := range sorted(files) {
			err := copyInto(f, func(int64) (io.Writer, error) {
				h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: r.epoch}
				h.SetMode(fs.FileMode(f.mode()))
				return z.CreateHeader(h)
			})
			if err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// copyInto copies a file to what the header of its entry opens.
func copyInto(f file, open func(size int64) (io.Writer, error)) error {
	in, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	w, err := open(info.Size())
	if err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return err
}

func create(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
