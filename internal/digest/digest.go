// Package digest writes SHA-256 sums in hexadecimal.
package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// Text is the sum of a text.
func Text(text []byte) string {
	// The sum is an array of bytes, which the encoder takes as a slice.
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// File is the sum of the content of a file.
func File(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()

	// The file is read in parts, so that its size does not matter.
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
