package report

import (
	"fmt"
	"strings"
	"unicode"
)

// texCommands are the characters that LaTeX does not take as they are: those with a meaning in it, brackets and stars,
// which would be arguments at the beginning of a row of a table, quotation marks, which would become others, and those
// beyond Latin letters that reports have.
var texCommands = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '_': `\_`, '%': `\%`,
	'~': `\textasciitilde{}`, '^': `\textasciicircum{}`, '<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`,
	'[': `{[}`, ']': `{]}`, '*': `{*}`, '"': `\textquotedbl{}`, '`': `\textasciigrave{}`, '\'': `\textquotesingle{}`,
	'–': `--`, '—': `---`, '−': `$-$`, '×': `$\times$`, '∞': `$\infty$`, '≥': `$\ge$`, '≤': `$\le$`, '±': `$\pm$`,
	'→': `$\to$`, 'α': `$\alpha$`, 'λ': `$\lambda$`, 'ρ': `$\rho$`, 'σ': `$\sigma$`, '’': `'`, '…': `\dots{}`,
}

// tex is a text for LaTeX, with any characters in it. Those that the fonts of pdflatex do not have, beyond the letters
// of European languages, are written as their numbers, such as U+4E2D.
func tex(s string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		command, special := texCommands[r]
		switch {
		case special:
			b.WriteString(command)
		case (r == '-' || r == ',') && r == last:
			// Two of them side by side would become a dash or a quotation mark, in LuaTeX also with a group between them.
			b.WriteString(`{\kern0pt}` + string(r))
		case unicode.IsSpace(r) || unicode.IsControl(r):
			b.WriteByte(' ')
		case r < 0x7f || isLatin(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "U+%04X", r)
		}
		last = r
	}
	return b.String()
}

// isLatin reports whether a character beyond ASCII is a letter of the blocks Latin-1 and Latin Extended-A that the font
// encoding T1 has, by itself or by an accent.
func isLatin(r rune) bool {
	return r >= 0xc0 && r < 0x180 && unicode.IsLetter(r) && !strings.ContainsRune("ĦħĸĿŀŉŦŧſ", r)
}

// texName is a text as a part of the name of a file that LaTeX reads, and of a label: other characters than ASCII
// letters, digits and a few signs become minus signs.
func texName(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x7f && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("+-._", r)) {
			return r
		}
		return '-'
	}, s)
}
