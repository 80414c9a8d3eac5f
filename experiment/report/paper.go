package report

import "math"

// published holds the paper's figures for a shape (its tables 6, 7 and 10): one thread, Gurobi 12 on Cascade Lake 6226,
// a limit of one hour.
type published struct {
	// The shape, and how many instances of it were held out.
	family, shape string
	n             int

	// Gaps in per cent. Where the median gap is against a design of the limit, certifiedGap is that to certified optima;
	// else it is NaN.
	gapMedian, gapMean float64
	certifiedGap       float64

	// Times in seconds, and their ratio.
	oracleMedian           float64
	oracleMean             float64
	proxyMedian, proxyMean float64
	speedMedian, speedMean float64

	// Medians of the cuts.
	oracleCuts, proxyCuts float64

	// The oracle reached the limit on most instances.
	limited bool

	// Means of the cuts.
	oracleCutsMean, proxyCutsMean float64
}

// none stands for a figure that the paper does not have.
var none = math.NaN()

// paper has a line for each shape of the paper's tables, in their order.
var paper = []published{
	{"cap", "50x16", 1200, .44, 1.65, none, .22, .42, .08, .18, 2.4, 8.5, 18, 11, false, 21, 13},
	{"cap", "50x25", 1200, .58, 4.43, none, 2.56, 3.74, 1.00, 2.04, 2.4, 28.7, 44, 27, false, 50, 32},
	{"cap", "50x50", 1200, .39, .92, none, 6.79, 28.32, 2.16, 3.93, 3.6, 36.5, 42, 27, false, 68, 31},
	{"cap", "1000x100", 1800, 0, .11, none, 149.6, 386.71, 410.93, 876.72, .6, 1.8, 87, 148, false, 102, 144},
	{"ufl", "200x200", 100, 0, .32, none, 3.11, 3.26, 1.30, 4.70, 1.8, 5.5, 2797, 122, false, 2825, 184},
	{"ufl", "300x300", 100, 0, .16, none, 5.67, 8.43, 2.69, 8.40, 2.2, 3.0, 4147, 170, false, 4196, 218},
	{"ufl", "500x500", 100, .50, .61, none, 98.8, 123.4, 3.52, 9.13, 20.7, 34.1, 7171, 133, false, 7164, 180},
	{"ufl", "1000x1000", 20, .36, .57, none, 484.9, 440.7, 35.1, 45.7, 13.5, 47.3, 13467, 362, false, 13470, 346},
	{"ufl", "2000x2000", 20, .48, .49, none, 3600, 3600, 22.6, 24.0, 161, 183, 27819, 115, true, 27839, 123},
	{"mcndp", "10x35x50", 120, .012, .45, none, 2.41, 2.95, 1.75, 2.23, 1.42, 1.42, 74, 70, false, 87, 81},
	{"mcndp", "10x60x50", 120, 3.97, 5.20, .567, 3600, 2611, 119, 403, 9.37, 32.04, 9053, 1984, true, 8548, 2210},
	{"mcndp", "10x83x50", 120, 7.42, 8.39, 2.65, 3600, 2567, 73, 102, 27.05, 33.84, 11273, 1132, true, 8458, 1185},
}

// publishedFor returns the paper's figures for a shape, nil if it has none.
func publishedFor(family, shape string) *published {
	// The table is short, and a linear search is fast enough.
	for k := range paper {
		if paper[k].family == family && paper[k].shape == shape {
			return &paper[k]
		}
	}
	return nil
}

// gap is the published median that ours is held against: that of the instances with a certified optimum.
func (p *published) gap() float64 {
	if math.IsNaN(p.certifiedGap) {
		return p.gapMedian
	}
	return p.certifiedGap
}
