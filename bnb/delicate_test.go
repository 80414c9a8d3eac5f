package bnb

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// delicate are models with right answers in which something small decides. Each has a cause of its own for which the
// answer came out wrong.
var delicate = []struct {
	cause string
	m     tiny
}{
	{"the side of the equation cancels to 1e-4, and its rounding error counts 3e3 times in x", tiny{
		cost:  []float64{25.8, 5.3e-06, 768.7, 727733.2},
		lower: []float64{2, 0, 0, 1}, upper: []float64{2, 1, 2, 2}, integer: []bool{true, false, true, true},
		rows: []row{
			{-102436.82109465144, -102435.32881990376, []float64{0, -394223.95834143, -2.904e-05, 0.01197988}},
			{math.Inf(-1), 62484.76536213873, []float64{0.07379539, 240467.13510343, 0.53880667, 0}},
			{-424.15048442733195, -424.15048442733195, []float64{0.00490107, 0.0004838, -491.94312564, 33.89135668}},
		}, box: 2}},
	{"the same, and 4e9 times in another column", tiny{maximize: true,
		cost:  []float64{180.15510372, -12056.13245263, -0.00873507, -154.00150058, -3.16e-05},
		lower: []float64{0, 0, 2, -1, -1.2}, upper: []float64{1, 1, 2, 2, 8.2},
		integer: []bool{true, false, true, true, false},
		rows: []row{
			{-157.40386501976607, -157.40386501976607, []float64{1938.33899893, 0, -0.00080741, -1047.87109072, 0.00032204}},
			{-111029.54886536706, -111028.92247352024, []float64{-147.31255623, 1.209e-05, 72.59987166, 0, -38351.26356327}},
			{math.Inf(-1), -2.0508702262855752e+06, []float64{0.11143581, -4799.87671842, 0, -962496.63610345, -43480.64485463}},
			{math.Inf(-1), -111.02892455142234, []float64{-0.14731255623, 1.209e-08, 0.07259987166, 0, -38.351263563269995}},
		}, box: 2}},
	{"a row forces its columns, but for rounding, of which one makes 4e-3 by a coefficient of 2e-6", tiny{maximize: true,
		cost:  []float64{-85.8022975, 3.701e-05, -0.00974946, -22.45595153, -0.01193179},
		lower: []float64{0, 0, -2, 0, -1}, upper: []float64{1, math.Inf(1), 1, 1, -1},
		integer: []bool{false, false, true, true, true},
		rows: []row{
			{-2.99999812, math.Inf(1), []float64{0, 0, -1.88e-06, 68325.90766782, 0}},
			{-158006.17887242185, -158006.17887242185, []float64{-1.87e-06, 0, 158006.18298647, -7.543e-05, -0.00411591}},
			{112243.60292847376, 112244.27749066518, []float64{-272.56259333, -1892.9451889, 0, 0, -113496.74210398}},
			{-58462.28619607676, math.Inf(1), []float64{-6.919e-07, 0, 58462.2877049939, -2.79091e-05, -0.0015228867}},
		}, box: 2}},
	{"a row that is missed by a hair forces a column that it hardly knows", tiny{
		cost:  []float64{-291962.67986999, -0.89271221, -10385.09343607, 17.45576623},
		lower: []float64{math.Inf(-1), -2, 1.350309314742287, 1}, upper: []float64{math.Inf(1), 1, 4.003172990082806, 3},
		integer: []bool{false, true, false, true},
		rows: []row{
			{1.1355815226817026e+06, 1.1355815226817026e+06, []float64{-0.00013019, 0, 0, 567790.76133676}},
			{-1701.4437218407995, -1701.4437218407995, []float64{27068.00141076, 0, -0.05443144, -0.01252453}},
		}, box: 3}},
	{"a column of 3 whose grid has steps of 7e9", tiny{maximize: true,
		cost:  []float64{-3.89726208, -19310.41502931, 2.34e-06, -204.13055264},
		lower: []float64{2, 0, -2, 0}, upper: []float64{3, math.Inf(1), 0, math.Inf(1)},
		integer: []bool{true, false, true, false},
		rows: []row{
			{103.87614663206051, math.Inf(1), []float64{-7.31e-06, 0.35925546, -51.39911145, 5.968e-05}},
			{-1.16025076807161e+06, -1.16025076807161e+06, []float64{-386750.25597048, -5.339e-05, 0, 0}},
			{math.Inf(-1), -153.9059631, []float64{0.00010427, -51.30209197, 0, 0}},
			{math.Inf(-1), 1.6645984192098302e+06, []float64{13.45657345, 554854.16993075, 0, -1.48676759}},
		}, box: 3}},
	{"a bound of an integer column through 4e-6 that a side of 8e5 gives", tiny{maximize: true,
		cost: []float64{2.38e-06, -66509.3013517, 36.61330442}, lower: []float64{-1, 1, 0},
		upper:   []float64{2, 2, math.Inf(1)},
		integer: []bool{true, true, false},
		rows: []row{
			{math.Inf(-1), -825333.4324729911, []float64{0, -825333.27270964, 0.00015973}},
			{-1.982654395929566e+06, -1.982654395929566e+06, []float64{-10962.82189491, -0.00032698, -424076.57636483}},
		}, box: 3}},
	{"a ray along which the objective gains 1e-11 in scaled units", tiny{
		maximize: true,
		cost:     []float64{-0.00701033, 0.01338102, 67045.52162768, -2.89e-06},
		lower:    []float64{0, -1, math.Inf(-1), math.Inf(-1)},
		upper:    []float64{2, 2, math.Inf(1), math.Inf(1)}, integer: []bool{true, true, false, false},
		rows: []row{
			{1.56498461142336e+06, math.Inf(1), []float64{0, 0, 391246.15285584, 0}},
			{-18542.697755989393, math.Inf(1), []float64{0, 0.00086447, 0, -267602.09768471}},
			{-1.66919712, math.Inf(1), []float64{190152.24404392, -2311.72505636, -0.41729928, 0}},
		}, box: 2}},
	{"a ray whose cost of 1e-11 in scaled units the row duals lose", tiny{
		cost:  []float64{13662.68457894, -1.166e-05, 91757.79703632, 1.69e-06},
		lower: []float64{2, 0, 0, math.Inf(-1)}, upper: []float64{2, math.Inf(1), 2, math.Inf(1)},
		integer: []bool{true, false, true, false},
		rows: []row{
			{0.0026262225803443053, math.Inf(1), []float64{0, 0, -344665.57121893, 0.00116121}},
			{1.2929164472655053, 1.2929164472655053, []float64{0.04410214, 0, 0, 0.53184749}},
			{math.Inf(-1), -912.2345996631174, []float64{-7.567e-05, 0, 0, -403.35338355}},
			{99574.91706545939, math.Inf(1), []float64{0, 125706.71280875, -0.00104963, -2.72e-06}},
			{math.Inf(-1), math.Inf(1), []float64{-0.04417781, 0, 0, -403.88523104}},
		}, box: 2}},
	{"a ray whose reduced cost is less than the rounding of one of 1e8", tiny{maximize: true,
		cost:  []float64{48533.50478152, 184514.32101181, 3.333e-05, 0.00756728},
		lower: []float64{1, math.Inf(-1), 0, -1}, upper: []float64{2, math.Inf(1), math.Inf(1), 1},
		integer: []bool{true, false, false, true},
		rows: []row{
			{2628.21474092, math.Inf(1), []float64{5.09e-06, 7.285e-05, 1314.10736267, -5.4e-06}},
			{-47.909427829658654, -47.776483762308835, []float64{-0.20171821, 4.2e-06, 0, 47.49912558}},
			{-0.21372559572279393, -0.21372559572279393, []float64{0, 6.01708315, 0, 0}},
		}, box: 2}},
	{"coefficients of 6e-5 tightened beside a fixed term of 5e4", tiny{
		cost:  []float64{7.98e-06, -649.41385, -0.42301922, 25.58282431, 551.02719538},
		lower: []float64{0, math.Inf(-1), -2, 0, -2}, upper: []float64{math.Inf(1), math.Inf(1), -2, 2, -1},
		integer: []bool{false, false, true, true, true},
		rows: []row{
			{3503.872237791392, 3503.872237791392, []float64{-1.193e-05, -0.16036422, -1751.977042, 0.23892648, 0}},
			{math.Inf(-1), 45194.33942281, []float64{0, 0, -22597.17779732, -0.01622944, -5.761e-05}},
		}, box: 2}},
	{"a substitution leaves a row that determines a column a coefficient of 4e-11", tiny{maximize: true,
		cost:  []float64{-0.00016924, -0.00581944, 20.09055504},
		lower: []float64{math.Inf(-1), math.Inf(-1), 1}, upper: []float64{2, math.Inf(1), 3},
		integer: []bool{false, false, true},
		rows: []row{
			{-0.9999996890719164, 0.6032366062173772, []float64{-4.66e-06, 0, 0}},
			{268.6200867613394, 268.6200867613394, []float64{-4464.93561862, -7.8e-06, -14.64638969}},
			{-437482.64942626096, -437482.64942626096, []float64{0.02109926, 0, -218741.32400923}},
		}, box: 3}},
	{"a value of 3e-10 that a cost of 2e4 sees is not on its bound", tiny{maximize: true,
		cost: []float64{-1.97e-06, -17281.64915172}, lower: []float64{0, 0}, upper: []float64{2, math.Inf(1)},
		integer: []bool{true, false},
		rows: []row{
			{0, 0.42242275512935157, []float64{0, 0.58707137}},
			{math.Inf(-1), -1.879876407004641e-07, []float64{0, -587.07137}},
		}, box: 2}},
	{"a row turns off the direction of a ray by 2e-10", tiny{
		cost:  []float64{2.10500245, 26677.20109368, 133.59284003},
		lower: []float64{math.Inf(-1), math.Inf(-1), 0}, upper: []float64{2, 2, 3}, integer: []bool{false, false, true},
		rows: []row{
			{math.Inf(-1), 0.00025132, []float64{0, 0, 0.00012566}},
			{math.Inf(-1), 28777.411105620005, []float64{-0.0696243, 5299.34111024, 19688.04666305}},
			{23822.41711838, 23824.081270410876, []float64{0, 0, 11911.20855919}},
			{0.031074340000000002, math.Inf(1), []float64{0, -0.00085141, 0.01468576}},
			{math.Inf(-1), -28777.411074545664, []float64{0.0696243, -5299.341111091409, -19688.04664836424}},
			{-2.874863369454546e+07, math.Inf(1), []float64{69.5546757, -5.294041769128908e+06, -1.9668358616401635e+07}},
		}, box: 3}},
	{"a step of 8e2 loses the last digits of a value that a row with a coefficient of 2e-3 sees", tiny{maximize: true,
		cost:  []float64{-0.40318864, 0.13455558, -93.5472866},
		lower: []float64{-2, math.Inf(-1), 0}, upper: []float64{-1, math.Inf(1), 1}, integer: []bool{true, false, false},
		rows: []row{
			{7.891857938881868, math.Inf(1), []float64{0, -207945.3184576, 12449.16691938}},
			{-56.98092999, -56.98092999, []float64{56.98092999, 0, 0}},
			{430409.159836852, 430409.159836852, []float64{-430409.15945638, 0, 0.60018305}},
			{-64.22222108425346, -64.15482025204923, []float64{-0.00026987, -0.00208763, -102886.50442969}},
			{-0.0754607743247859, math.Inf(1), []float64{-2.6987e-07, -2.08763e-06, -102.88650442969}},
		}, box: 2}},
	{"a bound that a column misses by 3e-9, on which its row is broken by 3e-3", tiny{
		cost: []float64{2, 1}, lower: []float64{0, 0}, upper: []float64{1, 3}, integer: []bool{false, true},
		rows: []row{{1e6 + 3e-3, math.Inf(1), []float64{1e6, 0}}, {2, math.Inf(1), []float64{1, 1}}}, box: 3}},
	{"terms of 2e12 whose rounding is more than the tolerance", tiny{maximize: true,
		cost: []float64{0.3, 0, 1}, lower: []float64{0, 0, 0}, upper: []float64{2, math.Inf(1), math.Inf(1)},
		integer: []bool{true, false, false},
		rows: []row{
			{0.1, 0.1, []float64{-1234.5678, 3e-06, 0}},
			{-7.3, -7.3, []float64{0, -3090.67846118, 0.7}},
		}, box: 2}},
	{"two rows whose entries differ by 4e-8 turn a ray off", tiny{
		cost: []float64{-3e-05, 4e-06}, lower: []float64{math.Inf(-1), math.Inf(-1)},
		upper: []float64{math.Inf(1), math.Inf(1)}, integer: []bool{false, false},
		rows: []row{
			{-0.6, math.Inf(1), []float64{0, 1e-05}},
			{math.Inf(-1), -380000, []float64{70734.0931, -78881.7}},
			{math.Inf(-1), 400000, []float64{-70734.09, 78881.7}},
		}, box: 3}},
	{"an entry of 5e-12 is all that keeps a column from a ray", tiny{maximize: true,
		cost: []float64{20000, 0.6}, lower: []float64{1, 0}, upper: []float64{10, math.Inf(1)}, integer: []bool{false, false},
		rows: []row{
			{math.Inf(-1), -250000, []float64{0, -250000}},
			{math.Inf(-1), -92.37650962, []float64{-21.38893847, 1.27e-06}},
			{-30837.006817, math.Inf(1), []float64{-7140.027644, 0}},
		}, box: 3}},
	{"rows that are parallel but for 1e-5 in a column of 3", tiny{
		cost: []float64{-0.02, 6000}, lower: []float64{1, 0}, upper: []float64{3, math.Inf(1)}, integer: []bool{true, false},
		rows: []row{
			{-514464.0943067, -514464.0943067, []float64{195814.28598232, -131855.58212589}},
			{5.144640943067e+08, math.Inf(1), []float64{-1.9581428598231e+08, 1.3185558212589e+08}},
		}, noise: []float64{0, 4.3479505769623454e-08}, box: 3}},
	{"a column of 1e-6 beside one whose grid has steps of 8e4", tiny{
		cost: []float64{20, -0.6, -30000, 1, -500000}, lower: []float64{-3, math.Inf(-1), 0, 2, -3},
		upper: []float64{-1, 1, math.Inf(1), 3, -2}, integer: []bool{true, false, false, true, true},
		rows: []row{
			{732874.0068365776, 732874.0068365776, []float64{-80000, -600000, 0, 0, 1e-06}},
			{math.Inf(-1), -1e+06, []float64{0, 0, 0, -400000, 0}},
			{-90000, math.Inf(1), []float64{50000, 0.01, 0, 0, -20000}},
		}, box: 3}},
	{"the rounding of a fixed value, 7e4 times in the next and 6e5 times in a row", tiny{maximize: true,
		cost: []float64{60000, -0.002}, lower: []float64{0, 2}, upper: []float64{1, 20}, integer: []bool{false, false},
		rows: []row{
			{-4791.20302241, -4791.2030224, []float64{0, -1492.59419398}},
			{math.Inf(-1), -277149.45, []float64{-622583, 0}},
			{-9835.76329957, -9835.76329957, []float64{-0.0437893, -3064.11020992}},
		}, box: 2}},
	{"a substitution of terms of 2e5 into a row that determines a column by 7e-6", tiny{maximize: true,
		cost: []float64{-4, 600, -100000}, lower: []float64{-0.3, 0, 0}, upper: []float64{9, 1, 1},
		integer: []bool{false, true, false},
		rows: []row{
			{4134.109682205762, 4134.109682205762, []float64{-32.09957746, 4184.846243, 0}},
			{1871.3140392182315, 1871.3140392182315, []float64{1183.9271063, 5e-06, 7e-06}},
		}, box: 2}},
	{"terms of 2e6 cancel in a row that determines a column by 2e-6", tiny{maximize: true,
		cost: []float64{1000, -2000, 100}, lower: []float64{-2, -2, math.Inf(-1)}, upper: []float64{-2, -0.09, math.Inf(1)},
		integer: []bool{true, false, false},
		rows: []row{
			{-1.6157423787619472e+06, -1.6157423787619472e+06, []float64{807871.19066, -0.00198, -2e-06}},
			{-700, math.Inf(1), []float64{0, 550, 0}},
		}, box: 3}},
	{"the same, and the column is cheap", tiny{maximize: true,
		cost: []float64{-1000, -7e-05, 6000}, lower: []float64{-2, -1, math.Inf(-1)}, upper: []float64{-0.5, 2, math.Inf(1)},
		integer: []bool{false, true, false},
		rows: []row{
			{-673675.2108032255, -673675.2108032255, []float64{-4e-05, 673675.2108, 5e-06}},
		}, box: 2}},
	{"two ends of a grid that are one but for 1e-11, which a row sees 1e6 times", tiny{maximize: true,
		cost: []float64{6e-06, 0.006}, lower: []float64{0, math.Inf(-1)}, upper: []float64{1, 1},
		integer: []bool{false, false},
		rows: []row{
			{math.Inf(-1), 300000, []float64{0, -600000}},
			{math.Inf(-1), -376531.60992, []float64{-118812.96587, 683744.28254}},
			{math.Inf(-1), -753063.21984, []float64{-237625.93174, 1.3674885651e+06}},
		}, box: 2}},
	{"a fixed column leaves the rounding of a side of 8e4 to a column of 5e-6", tiny{
		cost: []float64{-30000, 2000, 0.002, 18000, -0.0002}, lower: []float64{-1, -3, 1, 0, math.Inf(-1)},
		upper: []float64{3, 0, 1, math.Inf(1), 0}, integer: []bool{true, true, true, false, false},
		rows: []row{
			{15017.53371979999, 15017.53371979999, []float64{39734.65809, 0, -64451.7824456, 0, 5e-06}},
			{math.Inf(-1), -290, []float64{0, 0, 0, -40, 40}},
		}, box: 3}},
	{"a grid that starts at 4e11, whose values have steps of 6e-5", tiny{maximize: true,
		cost: []float64{-173000, -0.03}, lower: []float64{math.Inf(-1), 2}, upper: []float64{math.Inf(1), 3},
		integer: []bool{false, true},
		rows:    []row{{765866.35975487, 765866.35975487, []float64{-1.7e-06, 382933.17988}}}, box: 3}},
	{"a side of 6e5 of which 8e-9 is left, and says something", tiny{maximize: true,
		cost: []float64{4, 3e-06}, lower: []float64{0, 2}, upper: []float64{1, 2}, integer: []bool{false, true},
		rows: []row{{-634027.4135619715, -634027.4135619715, []float64{3e-06, -317013.706781}}}, box: 2}},
	{"a price of 1e14 on a row whose terms are rounded at 4e-16", tiny{
		cost:  []float64{-0.26649972, 84168.10635801, 0.00169604, -0.00493575, -2.2e-06},
		lower: []float64{1, 0.7546653482594617, 0, 0, 2}, upper: []float64{3, 3.0402119763443554, 2, math.Inf(1), 3},
		integer: []bool{true, false, true, false, true},
		rows: []row{
			{6302.833055602382, 6302.833055602382, []float64{15.94668569, -0.02821644, 0, 1364.12288764, 0}},
			{-2.2563897825474957, -2.2563897825474957, []float64{0, 0, -0.00014383, -3.744e-05, -1.1280367}},
			{math.Inf(-1), 6.319396227701098, []float64{0.01594668569, -2.821644e-05, 0, 1.36412288764, 0}},
		}, box: 3}},
	{"a price of 1e9 on a row whose terms of 6e4 leave 9e-5", tiny{maximize: true,
		cost: []float64{3.52465439, 1.44e-06, -0.01938918}, lower: []float64{math.Inf(-1), -2, 0},
		upper: []float64{1, -1, math.Inf(1)}, integer: []bool{false, true, false},
		rows: []row{
			{-61157.01274436576, -61157.01274436576, []float64{0, 61157.01283913, 0.0006223}},
			{3.2837557571287688, 3.2837557571287688, []float64{7.267e-05, -0.43678242, 18.7007931}},
		}, box: 2}},
}

// Answers where something small decides are judged in rationals.
func TestDelicateModels(t *testing.T) {
	for k := range delicate {
		d := &delicate[k]
		for _, on := range []bool{true, false} {
			opt := DefaultOptions()
			opt.Gap, opt.AbsoluteGap, opt.Presolve = 0, judgeGap, on
			res, err := Solve(context.Background(), d.m.model(nil), opt, Hooks{})
			if err != nil {
				t.Errorf("%s, presolve %v: %v", d.cause, on, err)
			} else if err := newJudge(&d.m).verdict(&res); err != nil {
				t.Errorf("%s, presolve %v: %v", d.cause, on, err)
			}
		}
	}
}

// A contradiction of 1e-13 of a row of small coefficients is none, though it is large in the scaled LP; one beyond the
// tolerance is.
func TestWeakProofEasesRows(t *testing.T) {
	for _, c := range []struct {
		gap  float64
		want lp.Status
	}{{1e-13, lp.Optimal}, {3e-6, lp.Infeasible}} {
		m := &lp.Model{}
		m.AddCol(lp.Col{Cost: 1, Upper: 10})
		m.AddCol(lp.Col{Cost: 1, Upper: 10, Integer: true})
		m.AddRow(lp.Row{Lower: 123456 * 3.7, Upper: 123456 * 3.7}, []int32{0, 1}, []float64{123456, 123456})
		m.AddRow(lp.Row{Lower: 3.7e-5 + c.gap, Upper: lp.Inf}, []int32{0, 1}, []float64{1e-5, 1e-5})
		for _, on := range []bool{true, false} {
			opt := DefaultOptions()
			opt.Presolve = on
			res, err := Solve(context.Background(), m, opt, Hooks{})
			if err != nil || res.Status != c.want {
				t.Errorf("gap %g, presolve %v: %v, %v", c.gap, on, res.Status, err)
			}
		}
	}
}
