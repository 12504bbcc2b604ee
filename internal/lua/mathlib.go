package lua

import (
	"math"
	"math/bits"
)

// random makes the random numbers of Lua 5.4: xoshiro256** of Blackman and Vigna.
type random struct{ s [4]uint64 }

func (r *random) next() uint64 {
	s := &r.s
	result := bits.RotateLeft64(s[1]*5, 7) * 9
	t := s[1] << 17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return result
}

func (r *random) seed(a, b uint64) {
	r.s = [4]uint64{a, 0xff, b, 0}
	for range 16 {
		r.next()
	}
}

// below returns a number from 0 to n.
func (r *random) below(n uint64) uint64 {
	x := r.next()
	if n&(n+1) == 0 {
		return x & n
	}
	mask := uint64(1)<<bits.Len64(n) - 1
	for x &= mask; x > n; x = r.next() & mask {
	}
	return x
}

func floatFunction(f func(float64) float64) func(a arguments) []Value {
	return func(a arguments) []Value { return a.th.one(Float(f(a.number(0)))) }
}

// rounded returns a float that is a whole number as an integer, if it is one of 64 bits.
func rounded(f float64) Value {
	if n, ok := wholeOf(f); ok {
		return Int(n)
	}
	return Float(f)
}

func rounding(f func(float64) float64) func(a arguments) []Value {
	return func(a arguments) []Value {
		if v := a.at(0); v.ref == isInt {
			return a.th.one(v)
		}
		return a.th.one(rounded(f(a.number(0))))
	}
}

// extreme returns the argument before which no other one comes.
func extreme(before func(th *thread, a, b Value) bool) func(a arguments) []Value {
	return func(a arguments) []Value {
		a.number(0)
		best := number(a.at(0))
		for i := 1; i < a.len(); i++ {
			a.number(i)
			if v := number(a.at(i)); before(a.th, v, best) {
				best = v
			}
		}
		return a.th.one(best)
	}
}

func mathFunctions() map[string]func(a arguments) []Value {
	return map[string]func(a arguments) []Value{
		"sin": floatFunction(math.Sin), "cos": floatFunction(math.Cos), "tan": floatFunction(math.Tan),
		"asin": floatFunction(math.Asin), "acos": floatFunction(math.Acos), "sqrt": floatFunction(math.Sqrt),
		"exp": floatFunction(math.Exp), "cosh": floatFunction(math.Cosh), "sinh": floatFunction(math.Sinh),
		"tanh": floatFunction(math.Tanh), "log10": floatFunction(math.Log10),
		"deg":   floatFunction(func(x float64) float64 { return x * (180 / math.Pi) }),
		"rad":   floatFunction(func(x float64) float64 { return x * (math.Pi / 180) }),
		"floor": rounding(math.Floor), "ceil": rounding(math.Ceil),
		"max": extreme(func(th *thread, a, b Value) bool { return th.less(b, a) }),
		"min": extreme(func(th *thread, a, b Value) bool { return th.less(a, b) }),
		"pow": func(a arguments) []Value { return a.th.one(Float(math.Pow(a.number(0), a.number(1)))) },
		"atan": func(a arguments) []Value {
			x := 1.0
			if !a.at(1).IsNil() {
				x = a.number(1)
			}
			return a.th.one(Float(math.Atan2(a.number(0), x)))
		},
		"log": func(a arguments) []Value {
			x := a.number(0)
			switch {
			case a.at(1).IsNil():
				return a.th.one(Float(math.Log(x)))
			case a.number(1) == 2:
				return a.th.one(Float(math.Log2(x)))
			case a.number(1) == 10:
				return a.th.one(Float(math.Log10(x)))
			}
			return a.th.one(Float(math.Log(x) / math.Log(a.number(1))))
		},
		"abs": func(a arguments) []Value {
			if v := a.at(0); v.ref == isInt {
				return a.th.one(Int(max(v.asInt(), -v.asInt())))
			}
			return a.th.one(Float(math.Abs(a.number(0))))
		},
		"fmod": func(a arguments) []Value {
			x, y := a.at(0), a.at(1)
			if x.ref == isInt && y.ref == isInt {
				switch y.asInt() {
				case 0:
					a.bad(1, "zero")
				case -1:
					return a.th.one(Int(0))
				}
				return a.th.one(Int(x.asInt() % y.asInt()))
			}
			return a.th.one(Float(math.Mod(a.number(0), a.number(1))))
		},
		"modf": func(a arguments) []Value {
			x := a.number(0)
			switch {
			case a.at(0).ref == isInt:
				return a.th.list(a.at(0), Float(0))
			case math.IsInf(x, 0):
				return a.th.list(Float(x), Float(0))
			}
			whole := math.Trunc(x)
			return a.th.list(rounded(whole), Float(x-whole))
		},
		"tointeger": func(a arguments) []Value {
			if v := a.any(0); !v.isString() {
				if n, ok := v.Integer(); ok {
					return a.th.one(Int(n))
				}
			}
			return a.th.one(Value{})
		},
		"type": func(a arguments) []Value {
			switch a.any(0).Kind() {
			case KindInt:
				return a.th.one(String("integer"))
			case KindFloat:
				return a.th.one(String("float"))
			}
			return a.th.one(Value{})
		},
		"ult": func(a arguments) []Value {
			return a.th.one(Bool(uint64(a.integer(0)) < uint64(a.integer(1))))
		},
		"random": func(a arguments) []Value {
			r := &a.th.state.random
			low, high := int64(1), int64(0)
			switch a.len() {
			case 0:
				return a.th.one(Float(float64(r.next()>>11) * 0x1p-53))
			case 1:
				if high = a.integer(0); high == 0 {
					return a.th.one(Int(int64(r.next())))
				}
			case 2:
				low, high = a.integer(0), a.integer(1)
			default:
				a.th.fail("wrong number of arguments")
			}
			if low > high {
				a.bad(a.len()-1, "interval is empty")
			}
			return a.th.one(Int(low + int64(r.below(uint64(high)-uint64(low)))))
		},
		"randomseed": func(a arguments) []Value {
			n, ok := a.at(0).Integer()
			if !ok && a.len() > 0 {
				n = int64(math.Float64bits(a.number(0)))
			}
			a.th.state.random.seed(uint64(n), uint64(a.integerOr(1, 0)))
			return nil
		},
	}
}
