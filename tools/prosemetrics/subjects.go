package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"unicode/utf8"
)

// longSubject is the number of characters that the subject of a commit may have.
const longSubject = 72

// reportSubjects prints how many commits since a revision have a longer subject; with list, which.
func reportSubjects(out io.Writer, since string, list bool) error {
	var messages bytes.Buffer
	git := exec.Command("git", "log", "--no-merges", "--format=%h %s", since+"..HEAD", "--")
	git.Stderr = &messages
	log, err := git.Output()
	if err != nil {
		return errors.Join(fmt.Errorf("git log %s..HEAD: %w", since, err), errors.New(strings.TrimSpace(messages.String())))
	}
	commits, long := longSubjects(string(log))

	fmt.Fprintf(out, "%d commits since %s without merges, %d with a subject of more than %d characters (%s)\n",
		commits, since, len(long), longSubject, percent(len(long), commits))
	if list {
		for _, line := range long {
			fmt.Fprintln(out, line)
		}
	}
	return nil
}

// longSubjects reads lines of a hash and a subject, and returns their number and those whose subject is too long.
func longSubjects(log string) (commits int, long []string) {
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		commits++
		if _, subject, _ := strings.Cut(line, " "); utf8.RuneCountInString(subject) > longSubject {
			long = append(long, line)
		}
	}
	return commits, long
}
