package nn

import "os"

// writeAtomic replaces the file at path: the new content is written to path.tmp and synced, then renamed over
// it, so that whoever reads sees the old file or the new one, whole, also after the writer was killed. What a
// killed writer left is overwritten by the next. One process at a time may write a path.
func writeAtomic(path string, write func(f *os.File) error) (err error) {
	f, err := os.Create(path + ".tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
