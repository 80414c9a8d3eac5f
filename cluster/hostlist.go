package cluster

import (
	"fmt"
	"strings"
)

// maxHosts is the largest number of hosts of a list: Slurm itself stops at 65536 nodes.
const maxHosts = 1 << 16

// maxHostName is the largest number of characters of a host name in the domain name system.
const maxHostName = 255

var errLongHost = fmt.Errorf("a host name has more than %d characters", maxHostName)

// Hosts expands a compressed host list of Slurm, such as node[01-03,07],gpu1, in its order. A name may have several
// brackets (rack[1-2]node[1-4]: the last varies fastest); brackets within brackets are refused. The first number of a
// range states how many digits all have. The error names the part of the list that is wrong.
func Hosts(list string) ([]string, error) {
	var hosts []string
	for len(list) > 0 {
		item, rest, err := cutItem(list)
		if err != nil {
			return nil, err
		}
		if rest == "," {
			return nil, fmt.Errorf("cluster: host list ends with a comma after %q", item)
		}
		list = strings.TrimPrefix(rest, ",")

		// An item without brackets is one host.
		hosts, err = expand(hosts, "", item)
		if err != nil {
			return nil, fmt.Errorf("cluster: host list: %q: %w", item, err)
		}
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("cluster: host list is empty")
	}
	return hosts, nil
}

// cutItem returns the part of the list before the first comma outside of brackets, and what follows with its comma.
func cutItem(list string) (item, rest string, err error) {
	inside := false
	for k := range len(list) {
		c := list[k]
		switch {
		case c == '[' && inside:
			return "", "", fmt.Errorf("cluster: host list: %q: brackets within brackets", list)
		case c == '[':
			inside = true
		case c == ']' && !inside:
			return "", "", fmt.Errorf("cluster: host list: %q: ] without [", list)
		case c == ']':
			inside = false
		case c == ',' && !inside:
			return list[:k], list[k:], nil
		}
	}
	if inside {
		return "", "", fmt.Errorf("cluster: host list: %q: [ without ]", list)
	}
	return list, "", nil
}

// expand appends the hosts of an item whose brackets are balanced; start is the part that is expanded already.
func expand(hosts []string, start, item string) ([]string, error) {
	if len(start) > maxHostName {
		return nil, errLongHost
	}
	prefix, rest, hasBracket := strings.Cut(item, "[")
	for _, c := range []byte(prefix) {
		if !hostByte(c) {
			return nil, fmt.Errorf("%q is not part of a host name", c)
		}
	}
	if !hasBracket {
		return appendHost(hosts, start+prefix)
	}

	// Each number of the bracket is put before what follows it.
	ranges, after, _ := strings.Cut(rest, "]")
	for part := range strings.SplitSeq(ranges, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		lo, okLo := digits(first)
		hi, okHi := digits(last)
		if !okLo || !okHi || lo > hi {
			return nil, fmt.Errorf("%q is not a number or a range of numbers", part)
		}
		for n := lo; n <= hi; n++ {
			var err error
			hosts, err = expand(hosts, fmt.Sprintf("%s%s%0*d", start, prefix, len(first), n), after)
			if err != nil {
				return nil, err
			}
		}
	}
	return hosts, nil
}

func appendHost(hosts []string, name string) ([]string, error) {
	if name == "" {
		return nil, fmt.Errorf("a host name is empty")
	}
	if len(name) > maxHostName {
		return nil, errLongHost
	}
	if len(hosts) == maxHosts {
		return nil, fmt.Errorf("more than %d hosts", maxHosts)
	}
	return append(hosts, name), nil
}

// hostByte returns whether c may be part of a host name.
func hostByte(c byte) bool {
	letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	digit := '0' <= c && c <= '9'
	return letter || digit || strings.IndexByte(".-_", c) >= 0
}
