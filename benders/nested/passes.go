package nested

import (
	"hash/fnv"
	"math"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// point is a future at a state.
type point struct {
	future int32
	z      []float64
}

// key returns what tells a point apart.
func (p point) key() (k [16]byte) {
	h := fnv.New128a()
	var b [8]byte
	put := func(v uint64) {
		for i := range b {
			b[i] = byte(v >> (8 * i))
		}
		h.Write(b[:])
	}
	put(uint64(p.future))
	for _, v := range p.z {
		put(math.Float64bits(v))
	}
	h.Sum(k[:0])
	return k
}

// sample goes down one path, drawn by the probabilities. It returns false if the program is infeasible.
func (r *run) sample() (bool, error) {
	return r.path(func(p point) (int32, error) { return r.draw(r.futures[p.future].arcs), nil }, nil)
}

// probe goes down the path on which the bounds of the futures are farthest apart (Baucke, Downward and Zakeri, 2017),
// and brings the upper ones down on the way back.
func (r *run) probe() (bool, error) {
	if r.lids == nil {
		r.hulls = make([]*hull, len(r.p.Nodes))
		for _, s := range r.steepness() {
			r.lids = append(r.lids, &lid{slopes: s})
		}
	}
	return r.path(r.widest, r.cover)
}

// path goes down one path, along which choose says where to go, and cuts the futures on it on the way back; then it
// calls back, if that is not nil. It returns false if the program is infeasible.
func (r *run) path(choose func(point) (int32, error), back func(point) error) (bool, error) {
	path := []int32{0}
	var points []point
	for {
		n := path[len(path)-1]
		var z []float64
		if k := len(points); k > 0 {
			z = points[k-1].z
		}
		out, err := r.settle(n, z)
		if err != nil {
			return false, err
		}
		if out.status == lp.Infeasible {
			if len(points) == 0 {
				return false, nil
			}
			last := points[len(points)-1]
			if err := r.refute(last.future, out.lower); err != nil {
				return false, err
			}
			path, points = path[:len(path)-1], points[:len(points)-1]
			continue
		}
		f := r.of[n]
		if f < 0 {
			break
		}
		points = append(points, point{f, out.next})
		if n, err = choose(points[len(points)-1]); err != nil {
			return false, err
		}
		path = append(path, n)
	}
	for k := len(points) - 1; k >= 0; k-- {
		feasible, err := r.deepen(points[k].future, points[k].z)
		if err == nil && feasible && back != nil {
			err = back(points[k])
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

func (r *run) draw(arcs []stoch.Arc) int32 {
	u := r.rng.Float64()
	for _, a := range arcs {
		if u -= a.Probability; u < 0 {
			return a.To
		}
	}
	return arcs[len(arcs)-1].To
}

// follow returns what the decisions of the cuts cost from a future on, +Inf where it is infeasible, and cuts every
// future that it comes to.
func (r *run) follow(p point) (float64, error) {
	id := p.key()
	if v, ok := r.memo[id]; ok {
		return v, nil
	}
	if r.lps > r.budget {
		return 0, errLong
	}
	if r.pools[p.future].excludes(p.z) {
		return math.Inf(1), nil
	}
	arcs := r.futures[p.future].arcs
	list := make([]affine, len(arcs))
	total := 0.0
	for k, a := range arcs {
		out, cost, err := r.descend(a.To, p.z)
		if err != nil {
			return 0, err
		}
		if out.status == lp.Infeasible {
			return math.Inf(1), r.refute(p.future, out.lower)
		}
		total += a.Probability * cost
		if g := r.of[a.To]; g >= 0 && len(r.pools[g].cuts) > out.seen {
			if out, err = r.settle(a.To, p.z); err != nil {
				return 0, err
			}
		}
		list[k] = out.lower
	}
	r.cut(p.future, list, p.z)
	r.memo[id] = total
	return total, nil
}

// descend settles a node and follows its decision.
func (r *run) descend(n int32, z []float64) (outcome, float64, error) {
	for try := 0; ; try++ {
		out, err := r.settle(n, z)
		if err != nil || out.status == lp.Infeasible {
			return out, math.Inf(1), err
		}
		if try > tries {
			return out, 0, r.stuck(n)
		}
		if r.of[n] < 0 {
			return out, out.cost, nil
		}
		v, err := r.follow(point{r.of[n], out.next})
		if err != nil || !math.IsInf(v, 1) {
			return out, out.cost + v, err
		}
	}
}
