package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/internal/digest"
)

// built makes a folder as make release does, with the test binary as the programs, in the order given.
func built(t *testing.T, when time.Time, platforms ...string) string {
	t.Helper()
	dir := t.TempDir()
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range platforms {
		name := "proxybd"
		if strings.HasPrefix(p, "windows") {
			name += ".exe"
		}
		put(filepath.Join(p, name), program)
	}
	for _, name := range []string{"man/proxybd.1", "completions/proxybd.bash", "source/README.md", "source/CHANGELOG.md", "source/a/b.go",
		"source/models/paper/cap.safetensors"} {
		put(name, []byte(name))
	}
	put("source/go.sum", nil)
	put("source/LICENSE", []byte("Apache License\n  Version 2.0, January 2004"))
	return dir
}

// TestSameFiles packs the same content twice, made at other times and in another order.
func TestSameFiles(t *testing.T) {
	epoch := time.Unix(1700000000, 0).UTC()
	var made [2]string
	for k, platforms := range [][]string{{"linux-amd64", "windows-amd64"}, {"windows-amd64", "linux-amd64"}} {
		made[k] = t.TempDir()
		r := release{"v1.2.3", epoch, built(t, epoch.Add(time.Duration(k)*time.Hour), platforms...), made[k]}
		if err := r.write(); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"proxybd-v1.2.3-linux-amd64.tar.gz", "proxybd-v1.2.3-windows-amd64.zip",
		"proxybd-v1.2.3-source.tar.gz", "proxybd-v1.2.3-paper-models.tar.gz", "proxybd-v1.2.3.spdx.json", "SHA256SUMS"} {
		a, err := digest.File(filepath.Join(made[0], name))
		b, err2 := digest.File(filepath.Join(made[1], name))
		if errors.Join(err, err2) != nil || a != b {
			t.Errorf("%s: %s, %s, %v", name, a, b, errors.Join(err, err2))
		}
	}
	checkTar(t, filepath.Join(made[0], "proxybd-v1.2.3-linux-amd64.tar.gz"), epoch, "proxybd-v1.2.3-linux-amd64/",
		"CHANGELOG.md LICENSE README.md completions/proxybd.bash man/proxybd.1 proxybd")
	checkTar(t, filepath.Join(made[0], "proxybd-v1.2.3-source.tar.gz"), epoch, "proxybd-v1.2.3/",
		"CHANGELOG.md LICENSE README.md a/b.go go.sum")
	checkTar(t, filepath.Join(made[0], "proxybd-v1.2.3-paper-models.tar.gz"), epoch, "proxybd-v1.2.3/",
		"models/paper/cap.safetensors")
	z, err := zip.OpenReader(filepath.Join(made[0], "proxybd-v1.2.3-windows-amd64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		if !f.Modified.Equal(epoch) || !strings.HasPrefix(f.Name, "proxybd-v1.2.3-windows-amd64/") {
			t.Errorf("%s of %v", f.Name, f.Modified)
		}
	}
	data, err := os.ReadFile(filepath.Join(made[0], "proxybd-v1.2.3.spdx.json"))
	var d spdxDocument
	if err := errors.Join(err, json.Unmarshal(data, &d)); err != nil {
		t.Fatal(err)
	}
	if len(d.Packages) != 2 || d.Packages[0].Declared != "Apache-2.0" || d.Relationships[0] != (spdxRelation{documentID, "DESCRIBES", programID}) {
		t.Errorf("the bill: %s", data)
	}
}

// checkTar compares the entries of an archive, all below a folder, with what is wanted.
func checkTar(t *testing.T, path string, epoch time.Time, folder, want string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if z.Name != "" || !z.ModTime.IsZero() {
		t.Errorf("gzip says %q, %v", z.Name, z.ModTime)
	}
	var names []string
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		names = append(names, strings.TrimPrefix(h.Name, folder))
		if mode := map[bool]int64{true: 0o755, false: 0o644}[strings.HasSuffix(h.Name, "/proxybd")]; h.Mode != mode || !h.ModTime.Equal(epoch) ||
			h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s: %+v", h.Name, h)
		}
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%s: %s, want %s", path, got, want)
	}
}

// TestLicences checks that texts of licences are distinguished.
func TestLicences(t *testing.T) {
	for text, want := range map[string]string{"x": unknown, "Permission is hereby granted,\nfree of charge": "MIT",
		"Redistributions in binary form": "BSD-2-Clause", "Redistributions in binary form. Neither the name of": "BSD-3-Clause",
		"Apache License\nVersion 2.0. Neither the name of": "Apache-2.0 AND BSD-3-Clause"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "LICENSE"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := licences(dir); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
	if _, err := licences(t.TempDir()); err == nil {
		t.Error("a module without a licence")
	}
}
