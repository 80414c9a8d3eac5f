// Command release packs what make release has built, so that the same commit gives the same files, bit for bit: entries
// are sorted, belong to nobody, and bear the time of the commit.
//
//	release -version v1.2.3 -epoch 1700000000 -from dist/build -to dist
//
// The folder -from has a folder GOOS-GOARCH with the program for every platform, man, completions, and source, which is
// the checkout with its vendor folder.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proxybd/proxybd/internal/digest"
)

// release is what the flags say.
type release struct {
	version  string
	epoch    time.Time
	from, to string
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	var r release
	var epoch int64
	flag.StringVar(&r.version, "version", "", "version of the program")
	flag.Int64Var(&epoch, "epoch", -1, "time of the commit, in seconds since 1970")
	flag.StringVar(&r.from, "from", "dist/build", "what was built")
	flag.StringVar(&r.to, "to", "dist", "where the files go")
	flag.Parse()
	r.epoch = time.Unix(epoch, 0).UTC()
	if r.version == "" || epoch < 0 {
		log.Fatal("-version and -epoch are missing")
	}
	if err := r.write(); err != nil {
		log.Fatal(err)
	}
}

// platforms lists the folders with programs.
func (r *release) platforms() ([]string, error) {
	list, err := filepath.Glob(filepath.Join(r.from, "*-*", "proxybd*"))
	if err == nil && len(list) == 0 {
		err = errors.New(r.from + ": no programs")
	}
	slices.Sort(list)
	return list, err
}

// write makes all files of the release.
func (r *release) write() error {
	programs, err := r.platforms()
	if err != nil {
		return err
	}
	for _, program := range programs {
		if err := r.platform(program); err != nil {
			return err
		}
	}
	if err := r.source(); err != nil {
		return err
	}
	bill, err := r.document(programs)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.to, "proxybd-"+r.version+".spdx.json"), bill, 0o666); err != nil {
		return err
	}
	return sums(r.to)
}

// source packs the source, and in an archive of their own the networks of the paper's experiment: they are larger than
// all the rest, and no build needs them.
func (r *release) source() error {
	name := "proxybd-" + r.version
	files, err := tree(filepath.Join(r.from, "source"), name)
	if err != nil {
		return err
	}

	folder := filepath.Join(name, "models", "paper") + string(filepath.Separator)
	var source, networks []file
	for _, f := range files {
		if strings.HasPrefix(f.name, folder) {
			networks = append(networks, f)
		} else {
			source = append(source, f)
		}
	}

	if err := r.tarball(filepath.Join(r.to, name+"-source.tar.gz"), source); err != nil {
		return err
	}
	if len(networks) == 0 {
		return nil
	}
	return r.tarball(filepath.Join(r.to, name+"-paper-models.tar.gz"), networks)
}

// platform packs one program with what belongs to it.
func (r *release) platform(program string) error {
	name := "proxybd-" + r.version + "-" + filepath.Base(filepath.Dir(program))
	files := []file{{filepath.Join(name, filepath.Base(program)), program, true}}
	for _, text := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		files = append(files, file{filepath.Join(name, text), filepath.Join(r.from, "source", text), false})
	}
	for _, folder := range []string{"man", "completions"} {
		more, err := tree(filepath.Join(r.from, folder), filepath.Join(name, folder))
		if err != nil {
			return err
		}
		files = append(files, more...)
	}
	if strings.HasSuffix(program, ".exe") {
		return r.zipped(filepath.Join(r.to, name+".zip"), files)
	}
	return r.tarball(filepath.Join(r.to, name+".tar.gz"), files)
}

// sums writes SHA256SUMS, as sha256sum reads it, about the files of a folder.
func sums(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		if e.IsDir() || e.Name() == "SHA256SUMS" {
			continue
		}
		sum, err := digest.File(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, e.Name())
	}
	return os.WriteFile(filepath.Join(folder, "SHA256SUMS"), []byte(b.String()), 0o666)
}
