package model

import (
	"errors"
	"math"

	"github.com/gosper-life/gosper/papers/internal/cat/authors"
)

// Surface is E(a, b): the time of tiles of a×b fragments relative to the best measured time. It is a polynomial
// of degree four in two variables, fitted by least squares to the measured shapes.
type Surface struct {
	Coefficients   [surfaceTerms]float64 // of u^i·v^k with i + k ≤ 4, by rising i + k, then rising i
	meanA, meanB   float64               // u = (a − meanA)/scaleA, v likewise
	scaleA, scaleB float64
	Residual       float64 // root mean square
}

const (
	surfaceDegree = 4
	surfaceTerms  = (surfaceDegree + 1) * (surfaceDegree + 2) / 2
)

// FitSurface needs at least fifteen shapes, of at least five widths and heights.
func FitSurface(shapes []authors.Shape) (Surface, error) {
	var s Surface
	loA, hiA, loB, hiB, best := math.Inf(1), 0.0, math.Inf(1), 0.0, 0.0
	for _, p := range shapes {
		loA, hiA = min(loA, float64(p.A)), max(hiA, float64(p.A))
		loB, hiB = min(loB, float64(p.B)), max(hiB, float64(p.B))
		best = max(best, p.Speed)
	}
	// With variables from −1 to 1, powers have similar sizes, and the normal equations are well conditioned.
	s.meanA, s.meanB, s.scaleA, s.scaleB = (loA+hiA)/2, (loB+hiB)/2, max(hiA-loA, 1)/2, max(hiB-loB, 1)/2
	var normal [surfaceTerms][surfaceTerms + 1]float64
	for _, p := range shapes {
		terms := s.terms(float64(p.A), float64(p.B))
		for i := range terms {
			for k := range terms {
				normal[i][k] += terms[i] * terms[k]
			}
			normal[i][surfaceTerms] += terms[i] * best / p.Speed
		}
	}
	if !eliminate(&normal) {
		return s, errors.New("too few shapes of tiles were measured to fit a surface of degree four")
	}
	for i := range s.Coefficients {
		s.Coefficients[i] = normal[i][surfaceTerms]
	}
	for _, p := range shapes {
		d := s.At(p.A, p.B) - best/p.Speed
		s.Residual += d * d / float64(len(shapes))
	}
	s.Residual = math.Sqrt(s.Residual)
	return s, nil
}

// At returns E(a, b).
func (s Surface) At(a, b int) float64 {
	sum := 0.0
	for i, term := range s.terms(float64(a), float64(b)) {
		sum += s.Coefficients[i] * term
	}
	return sum
}

// terms are the products of powers that the coefficients multiply. Both arguments are scaled to
// numbers near 1, since high powers of large numbers would ruin the fit.
func (s Surface) terms(a, b float64) (terms [surfaceTerms]float64) {
	u, v := (a-s.meanA)/s.scaleA, (b-s.meanB)/s.scaleB
	n := 0
	for degree := range surfaceDegree + 1 {
		for i := range degree + 1 {
			terms[n] = math.Pow(u, float64(i)) * math.Pow(v, float64(degree-i))
			n++
		}
	}
	return terms
}

// eliminate solves the equations whose right side is the last column, which the solution replaces: Gauss and
// Jordan's elimination. It reports whether there is one solution.
func eliminate(m *[surfaceTerms][surfaceTerms + 1]float64) bool {
	largest := 0.0
	for i := range m {
		largest = max(largest, math.Abs(m[i][i]))
	}
	for column := range surfaceTerms {
		pivot := column
		for row := column; row < surfaceTerms; row++ {
			if math.Abs(m[row][column]) > math.Abs(m[pivot][column]) {
				pivot = row
			}
		}
		if math.Abs(m[pivot][column]) <= 1e-12*largest {
			return false
		}
		m[column], m[pivot] = m[pivot], m[column]
		for row := range m {
			if row == column {
				continue
			}
			f := m[row][column] / m[column][column]
			for k := column; k <= surfaceTerms; k++ {
				m[row][k] -= f * m[column][k]
			}
		}
	}
	for i := range m {
		m[i][surfaceTerms] /= m[i][i]
	}
	return true
}
