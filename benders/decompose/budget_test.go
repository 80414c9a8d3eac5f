package decompose

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
)

// TestBudget takes time and nodes off: what has no limit keeps none, and nothing falls below 0.
func TestBudget(t *testing.T) {
	began := time.Now().Add(-time.Hour)
	b := budget{benders.DefaultOptions(), began}
	if took := b.use(5); took < time.Hour || b.TimeLimit != math.MaxInt64 || b.MaxNodes != math.MaxInt {
		t.Errorf("without limits: %v, left %v and %d nodes", took, b.TimeLimit, b.MaxNodes)
	}
	if took := b.use(0); took > time.Minute {
		t.Errorf("the first hour was taken twice: %v", took)
	}
	b = budget{benders.DefaultOptions(), began}
	b.TimeLimit, b.MaxNodes = 3*time.Hour, 7
	if b.use(5); b.TimeLimit > 2*time.Hour || b.TimeLimit < 2*time.Hour-time.Minute || b.MaxNodes != 2 {
		t.Errorf("left %v and %d nodes", b.TimeLimit, b.MaxNodes)
	}
	b.at = began.Add(-time.Hour)
	if b.use(5); b.TimeLimit != 0 || b.MaxNodes != 0 {
		t.Errorf("spent: left %v and %d nodes", b.TimeLimit, b.MaxNodes)
	}
}

// TestWithin checks that a context ends with the budget, and one without a limit only with its parent.
func TestWithin(t *testing.T) {
	o := benders.DefaultOptions()
	ctx, cancel := o.Within(context.Background(), time.Now())
	defer cancel()
	if _, limited := ctx.Deadline(); limited {
		t.Error("a deadline without a time limit")
	}
	o.TimeLimit = 0
	spent, cancelSpent := o.Within(context.Background(), time.Now())
	defer cancelSpent()
	if spent.Err() == nil {
		t.Error("a context goes on with nothing left")
	}
}
