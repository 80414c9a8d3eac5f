package cli

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// jsonObjects are the objects that commands print with --json.
var jsonObjects = []struct {
	of    string // the command, and in which use of it
	value any
}{
	{"solve", solveReport{}},
	{"solve FOLDER", folderReport{}},
	{"lp", lpReport{}},
	{"mip", mipReport{}},
	{"verify", verifyReport{}},
	{"evaluate", evaluateReport{}},
	{"saa", saaReport{}},
	{"train INSTANCE...", trainReport{}},
	{"score", scoreReport{}},
	{"models", modelsReport{}},
	{"split", splitReport{}},
	{"states, eval, train FOLDER", stageEnd{}},
	{"report", pageReport{}},
	{"demo", demoReport{}},
	{"version", versionReport{}},
	{"--solution of solve, lp and mip", solutionHead{}},
}

// fieldTexts says what the fields mean: by name, or where one name has two meanings by a path below the command.
var fieldTexts = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"schema":          "version of this format: it changes when a field changes its meaning",
		"command":         "the command",
		"model":           "the file that was read",
		"train.model":     "the file that was written",
		"score.model":     "the network",
		"models":          "proxies, the shipped ones first",
		"models.fits":     "shape of the instances that it is for, as clients x facilities, or any size",
		"models.shipped":  "it is part of the program",
		"models.preset":   "of its training",
		"models.share":    "certified share of the recourse on held-out bases, null where it was not scored",
		"models.zero":     "the same with weights of zero",
		"models.random":   "the same with random weights",
		"models.bases":    "held-out bases of the score",
		"--solution.cost": "what the design costs, as its tables have it",
		"total":           "the sum of the two",
		"cost.recourse":   "expected cost of the recourse",
		"violation": "largest violation of a row or bound, as a part of the largest of 1, the side and the " +
			"row's terms",
		"numbered_from":      "what facilities, arcs and so on are numbered from; names stand as they are",
		"status":             "how it ended: proxybd help exit-codes",
		"objective":          "cost of the design or point that is returned",
		"bound":              "proven: nothing costs less",
		"gap":                "(objective - bound) / |objective|, a fraction",
		"seconds":            "wall clock, from the start of the command",
		"message":            "what went wrong",
		"warnings":           "what the reader had to interpret",
		"family":             "the family of the instance",
		"hash":               "SHA-256 of the program; names do not matter",
		"method":             "as --method",
		"scheme":             "as --scheme",
		"nodes":              "nodes of the trees",
		"iterations":         "rounds of the outer loop, or passes of the scheme nested",
		"lp.iterations":      "simplex iterations",
		"lp_iterations":      "simplex iterations of all linear programs",
		"cuts":               "that the master took",
		"optimality":         "cuts on the cost",
		"feasibility":        "cuts on what is feasible",
		"user":               "cuts at fractional points",
		"cut_sets":           "of the feasibility cuts, those on cut sets of the network; absent for none",
		"visited":            "different designs that were priced; by nested, states that a policy comes to",
		"projected":          "entries of predictions that were not finite",
		"separations":        "who answered, where a run mixes separators",
		"proxy":              "points that the network answered",
		"exact":              "points that the exact separator answered",
		"proxy_cuts":         "cuts of the network",
		"exact_cuts":         "cuts of the exact separator",
		"scenarios":          "how scenarios were priced",
		"evaluate.scenarios": "how many",
		"lp":                 "by a linear program; by the scheme nested those of nodes",
		"bunched":            "of these, by the basis behind a certificate of the pool, without a pivot",
		"pool":               "by a certificate of the pool",
		"mip.pool":           "objectives of the best points, best first",
		"skipped":            "not at all: the answer was known",
		"refuted":            "points at which a certificate that was there proved that a scenario has no recourse",
		"phases.seconds":     "of the phase",
		"phases.objective":   "cost of the best design at its end",
		"phases.bound":       "proven at its end",
		"runs.seconds":       "of the solve",
		"phases":             "of a run in phases, each as it ended",
		"name":               "what it is called",
		"terminal":           "cost of the master's last design",
		"open": "deprecated, see open_names: what the design opens by numbers from 0, of models the names of columns that " +
			"are not 0",
		"open_names": "the same as the file calls them: names, or numbers as in the file (see numbered_from; sslp " +
			"from 0)",
		"seconds_by_part":      "where the time went: these, but for the two that are of separation, add up to seconds",
		"master":               "linear programs of the master",
		"separation":           "exact separation, or a proxy's whole call",
		"prediction":           "of separation: the network",
		"completion":           "of separation: projection, completion and cuts of a prediction",
		"recourse":             "exact prices of designs",
		"heuristic":            "heuristics in the tree",
		"presolve":             "before the master: starting design, bounds, fixing",
		"other":                "all the rest, reading and writing among it",
		"proven":               "what the record proves",
		"claimed":              "what the run says of itself; records of older versions have no such claim",
		"expected":             "with --cvar: expected cost of the design",
		"cvar":                 "with --cvar: the tail of the costs",
		"tail":                 "the costs beyond a probability",
		"worst":                "the most expensive scenario",
		"scenario":             "its name",
		"cost":                 "what the design costs there",
		"evpi":                 "expected value of perfect information",
		"wait_and_see":         "expected cost of deciding once the scenario is known",
		"vss":                  "value of the stochastic solution",
		"mean_design_cost":     "expected cost of the design of the mean scenario",
		"infeasible_because":   "why no design exists, where a reason was found",
		"members":              "processes of a run of several (--cluster), the coordinator first",
		"members.name":         "host and address",
		"members.present":      "it was there at the end",
		"members.jobs":         "answered",
		"members.bytes_in":     "received from it",
		"members.bytes_out":    "sent to it",
		"members.busy_seconds": "worked, the sum over its threads",
		"members.idle_seconds": "not worked",
		"options":              "of an instance of a folder: the flags that the result depends on",
		"solve.folder":         "as on the command line",
		"solve.instances":      "the table, by the names of the files",
		"file":                 "its name",
		"result":               "the file of its result",
		"instances.reused":     "the result is that of a run before",
		"left_out":             "files that are no instances",
		"instances.seconds":    "of its run",
		"instances.message":    "what went wrong with it",
		"relaxation":           "says that the recourse had its integrality dropped",
		"rows":                 "rows of the model",
		"columns":              "columns of the model",
		"nonzeros":             "entries of the model",
		"integers":             "integer columns of the model",
		"primal_infeasibility": "largest violation of a row or bound, relative to 1 plus its largest term",
		"dual_infeasibility":   "largest reduced cost of the wrong sign, relative to 1 plus its largest term",
		"exact_arithmetic":     "exact arithmetic decided, where float64 did not; the values are rounded then",
		"trace":                "the best objective and the bound whenever one of them has changed, or a sample of these",
		"ranging":              "with --ranging: how far a number may change while the basis stays optimal",
		"what":                 "cost; lower, upper or fixed bound; rhs, rhs lower or rhs upper of a row",
		"objective_at_low":     "the objective where the number is low; it is linear in between",
		"objective_at_high":    "the objective where it is high",
		"lp.ranging.low":       "the least value, null for none",
		"lp.ranging.high":      "the greatest value, null for none",
		"farkas_ray": "multipliers of rows, by name, that prove that there is no feasible point: positive ones are of " +
			"lower sides, negative ones of upper sides",
		"iis":                  "with --iis: sides of rows and bounds that exclude each other",
		"irreducible":          "each proper subset of them is feasible",
		"solves":               "models that were solved to find it",
		"bounds":               "bounds of columns",
		"side":                 "lower, upper or both",
		"lower":                "the lower side or bound, null where it is no part",
		"upper":                "the upper one",
		"tolerance":            "within which the solution is optimal; wider than asked where none is better",
		"incumbents":           "points found, each better than the one before",
		"user_cuts":            "cuts that were added",
		"lazy_cuts":            "constraints that hooks added",
		"work":                 "counted work, which no clock disturbs",
		"span":                 "what of work was done one after the other: less than work with mip --threads",
		"parts":                "components of the search: their seconds and those of the part other add up to seconds",
		"calls":                "how often it ran",
		"mip.parts.seconds":    "its own time, without linear programs, which are in the part lp",
		"mip.parts.lp_seconds": "linear programs on its behalf",
		"found":                "incumbents that it found",
		"instance":             "its name",
		"instance_file":        "the record is about this file",
		"optimality_cuts":      "cuts on the cost that were proven",
		"feasibility_cuts":     "cuts on what is feasible that were proven",
		"leaves":               "leaves of the proof tree",
		"first_stage":          "cost of the design itself",
		"infeasible_scenarios": "scenarios in which the design has no recourse",
		"interval":             "confidence interval of the expectation",
		"mean":                 "mean of the sample",
		"low":                  "lower end",
		"high":                 "upper end",
		"deviation":            "standard deviation of the sample",
		"count":                "size of the sample",
		"level":                "probability",
		"weight":               "of the tail in the objective",
		"reason":               "why there is none",
		"value":                "the value, where it is known exactly, or the middle of its range",
		"value_at_risk":        "the cost that is not exceeded with the probability",
		"conditional":          "mean of the costs beyond it",
		"replications":         "sampled programs that were solved",
		"size":                 "scenarios of each",
		"saa.cost":             "of the design on scenarios of its own",
		"bound_interval":       "of the optima of the sampled programs",
		"gap_estimate":         "difference of the two, absolute",
		"gap_high":             "its upper end",
		"designs":              "different designs among the optima",
		"states":               "points that were trained on",
		"steps":                "steps of the optimiser",
		"validation":           "best loss on what is held out",
		"certified_share":      "of the exact recourse cost, on what is held out",
		"score":                "comparison with the controls",
		"bases":                "instances that were compared, or designs of one program with scenarios",
		"trained":              "certified shares of the network",
		"zero":                 "of weights of zero",
		"random":               "of random weights",
		"run":                  "as runs use the prediction",
		"alone":                "the prediction alone",
		"over_zero":            "lead over weights of zero",
		"over_random":          "lead over random weights",
		"over_zero.mean":       "mean of the paired differences",
		"over_zero.low":        "lower limit of its 95 % interval",
		"over_random.mean":     "mean of the paired differences",
		"over_random.low":      "lower limit of its 95 % interval",
		"demo.runs.gap":        "proven",
		"demo.runs.cuts":       "of all kinds",
		"version.level":        "such as GOAMD64=v1",
		"version.schema":       "version of the objects that --json prints",
		"reused":               "controls that reuse multipliers, of programs with scenarios",
		"reused.control":       "mean, nearest or pool",
		"reused.share":         "certified shares of it",
		"reused.over":          "lead over it",
		"reused.over.mean":     "mean of the paired differences",
		"reused.over.low":      "lower limit of its 95 % interval",
		"helps":                "all lower limits are above 0",
		"conclusion":           "the same for people",
		"started":              "when, RFC 3339",
		"folder":               "of the experiment",
		"split.bases":          "base instances",
		"instances":            "instances of the manifest",
		"excluded":             "base instances that were left out",
		"stage":                "states, train or eval",
		"shard":                "the share of the jobs",
		"page":                 "the report",
		"records":              "results that it shows",
		"runs":                 "the solves",
		"true_gap":             "to the exact optimum",
		"module":               "the Go module",
		"version":              "of the program",
		"commit":               "that it was built from",
		"modified":             "the checkout had changes",
		"go":                   "the compiler",
		"platform":             "operating system and processor",
		"cpus":                 "processors",
		"features":             "vector instructions that are used",
	}
})

// field is a line of the topic json.
type field struct {
	path  []string // names from the object down
	kind  string
	maybe bool // left out where it says nothing
	of    reflect.Type
}

// fieldsOf lists the fields of an object and, below each, those of the objects in it.
func fieldsOf(t reflect.Type, above []string) (list []field) {
	for k := range t.NumField() {
		f := t.Field(k)
		// The fields of an embedded struct are those of the object itself, as encoding/json has it.
		if f.Anonymous {
			list = append(list, fieldsOf(f.Type, above)...)
			continue
		}
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		// The path is a copy, since later fields append to the same one.
		path := append(above[:len(above):len(above)], tag)
		kind, inner := kindOf(f.Type)
		list = append(list, field{path, kind, options == "omitempty", f.Type})
		if inner != nil {
			// Objects within this one follow it, a level deeper.
			list = append(list, fieldsOf(inner, path)...)
		}
	}
	return list
}

// kindOf names the JSON type of a Go type; inner is that of the objects in it.
func kindOf(t reflect.Type) (kind string, inner reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		// A pointer is there so that the field can be left out.
		return kindOf(t.Elem())
	case reflect.Struct:
		return "object", t
	case reflect.Slice:
		_, inner = kindOf(t.Elem())
		// A list of lists is described by its innermost objects.
		return "list", inner
	case reflect.String:
		return "text", nil
	case reflect.Bool:
		return "true|false", nil
	case reflect.Float64:
		return "number|null", nil
	}
	return "number", nil
}

// meaning is what the table says of a field, by the longest part of its path that it has, and the key of that.
func (f field) meaning(command string) (text, key string) {
	// The whole path comes first. A field of a command's object may be at any depth, which the second key stands for.
	whole := command + "." + strings.Join(f.path, ".")
	keys := []string{whole, command + "." + f.path[len(f.path)-1]}

	// The ends of the path, from the longest to the name alone, are the same for all commands.
	for k := range f.path {
		keys = append(keys, strings.Join(f.path[k:], "."))
	}
	texts := fieldTexts()
	for _, key = range keys {
		if text = texts[key]; text != "" {
			return text, key
		}
	}
	return "", key
}

// jsonText lists the fields of all objects, as the types of the reports have them.
func jsonText() string {
	var b strings.Builder
	b.WriteString("With --json a command prints one object, on one line, on standard output, and its log on standard " +
		"error. A number that is not known, or infinite, is null. Fields marked with ? are left out where they have no " +
		"value. An error is an object too, with the status error and a message.\n")

	// Fields of objects within an object are indented.
	for _, o := range jsonObjects {
		// The table of meanings has commands by their first word.
		command, _, _ := strings.Cut(o.of, " ")
		fmt.Fprintf(&b, "\n%s:\n\n", o.of)
		for _, f := range fieldsOf(reflect.TypeOf(o.value), nil) {
			text, _ := f.meaning(strings.TrimSuffix(command, ","))
			// The indentation grows with the depth of the object.
			name := strings.Repeat("  ", len(f.path)) + f.path[len(f.path)-1]
			if f.maybe {
				name += "?"
			}
			fmt.Fprintf(&b, "%-26s %-12s %s\n", name, f.kind, text)
		}
	}

	b.WriteString("\nThe tables of --solution are further fields of that object, each a list of rows; in a CSV file the " +
		"column table names the table of a line:\n\n")
	for _, t := range solutionTables {
		fmt.Fprintf(&b, "  %-18s%s\n", t[0], t[1])
	}
	return b.String()
}

// solutionTables says what the tables of a solution hold.
var solutionTables = [][2]string{
	{"facilities", "open or not, fixed cost, clients, cost of serving them, capacity, load and slack"},
	{"clients", "demand, number of facilities, cost; customers where the file says so"},
	{"assignments", "which share and amount of a client's demand a facility serves, and at what cost"},
	{"arcs", "open or not, fixed cost, load, cost of the flow, capacity and slack; over scenarios the mean and the " +
		"largest load"},
	{"commodities", "origin, destination, demand and cost; by scenario where there are scenarios"},
	{"nodes", "supply by scenario, of networks with one commodity"},
	{"flows", "what an arc carries of a commodity, or a facility sends to a customer, by scenario; what is 0 is left out"},
	{"loads", "of what is open, by scenario, with the slack"},
	{"scenarios", "probability, cost, and that of the recourse"},
	{"columns", "of models: value, bounds and cost; of lp reduced cost and status too; of the first stage of SMPS " +
		"programs"},
	{"rows", "of models: activity, sides and slack to the nearer one; of lp dual and status too"},
	{"recourse_columns", "of SMPS programs: the same by scenario"},
	{"recourse_rows", "of SMPS programs: the same by scenario"},
}
