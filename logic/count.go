package logic

// CountRows is a program that adds up n rows of cells of so many planes: its output is, at each column, how many of the n cells there are
// not in state 0, in binary digits, lowest first. Plane k of row i is stream i·planes + k.
func CountRows(n, planes int) *Program {
	l := &lowering{}
	l.Planes = n * planes
	l.Streams = make([]Stream, l.Planes)
	a := l.newAdder(n)
	for i := range n {
		alive := l.load(i*planes, 0)
		for k := 1; k < planes; k++ {
			alive = l.table(immOr, alive, l.load(i*planes+k, 0))
		}
		a.digit(0, alive)
	}
	l.Out = a.sum()
	l.optimise()
	l.materialise()
	l.finish(0)
	return &l.Program
}
