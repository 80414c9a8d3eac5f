package assess

// The tests are in a package of their own, as users are.
var (
	MeanModel = meanModel
	Student   = student
)
