package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// pollInterval is how often a worker looks for an address file. A shared folder shows a new file within seconds.
const pollInterval = 200 * time.Millisecond

// maxAddressFile is the largest size of an address file in bytes, far above what encode writes.
const maxAddressFile = 1 << 16

// fileChannel is an address file on a folder that all processes see.
type fileChannel struct {
	path  string
	limit terms
	wrote []byte // what publish has written
}

func (f *fileChannel) terms() (terms, error) { return f.limit, nil }

func (f *fileChannel) renewable() bool { return true }

// publish writes the file so that readers see all of it or none, readable by its owner alone. It replaces a file that
// an earlier coordinator has left.
func (f *fileChannel) publish(_ context.Context, r rendezvous) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("address file %s: %w", f.path, err)
		}
	}()

	// A temporary file has the mode 0600 from the start.
	folder, name := filepath.Split(f.path)
	if folder == "" {
		folder = "."
	}
	temporary, err := os.CreateTemp(folder, "."+name+".*")
	if err != nil {
		return err
	}
	f.wrote = r.encode()
	_, writeErr := temporary.Write(f.wrote)
	err = errors.Join(writeErr, temporary.Sync(), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), f.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}

// await reads the file as soon as it is there. A file that others may read or that another user owns is refused.
func (f *fileChannel) await(ctx context.Context) (rendezvous, error) {
	for {
		r, err := readAddressFile(f.path)
		if err == nil {
			return r, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return rendezvous{}, fmt.Errorf("address file %s: %w", f.path, err)
		}

		// The coordinator has not written it yet.
		select {
		case <-ctx.Done():
			return rendezvous{}, fmt.Errorf("address file %s: no coordinator has written it: %w", f.path, context.Cause(ctx))
		case <-time.After(pollInterval):
		}
	}
}

func readAddressFile(path string) (rendezvous, error) {
	file, err := os.Open(path)
	if err != nil {
		return rendezvous{}, err
	}
	defer file.Close()

	// The check is of the open file, so that nobody can exchange it in between.
	info, err := file.Stat()
	if err != nil {
		return rendezvous{}, err
	}
	if !info.Mode().IsRegular() {
		return rendezvous{}, errors.New("not a regular file")
	}
	if err := checkOwner(info); err != nil {
		return rendezvous{}, err
	}

	text, err := io.ReadAll(io.LimitReader(file, maxAddressFile+1))
	if err != nil {
		return rendezvous{}, err
	}
	if len(text) > maxAddressFile {
		return rendezvous{}, fmt.Errorf("more than %d bytes", maxAddressFile)
	}
	return decodeRendezvous(text)
}

// close removes the file if it is still the one that this process has written.
func (f *fileChannel) close() error {
	if f.wrote == nil {
		return nil
	}
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(text, f.wrote) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Remove(f.path)
}
