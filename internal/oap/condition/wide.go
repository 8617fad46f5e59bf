package condition

import "math/bits"

// wide is a 128-bit signed integer: the sum or product of two 64-bit ones never
// wraps, so a huge amount can't slip under a cap.
type wide struct {
	hi int64
	lo uint64
}

func widen(i int64) wide { return wide{hi: i >> 63, lo: uint64(i)} }

func (a wide) add(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(uint64(a.hi), uint64(b.hi), carry)
	return wide{int64(hi), lo}
}

func (a wide) neg() wide { return wide{^a.hi, ^a.lo}.add(wide{0, 1}) }

func (a wide) sub(b wide) wide { return a.add(b.neg()) }

// narrow is the value as 64 bits; ok is false where it does not fit.
func (a wide) narrow() (i int64, ok bool) {
	i = int64(a.lo)
	return i, a.hi == i>>63
}

// mul multiplies two values that fit 64 bits; ok is false for larger operands.
func (a wide) mul(b wide) (wide, bool) {
	x, okX := a.narrow()
	y, okY := b.narrow()
	if !okX || !okY {
		return wide{}, false
	}
	hi, lo := bits.Mul64(abs(x), abs(y))
	product := wide{int64(hi), lo}
	if (x < 0) != (y < 0) {
		product = product.neg()
	}
	return product, true
}

func abs(i int64) uint64 {
	if i < 0 {
		return -uint64(i)
	}
	return uint64(i)
}

// inRange keeps sums of sums from wrapping: a condition has at most maxLength
// characters, so this bound leaves room for every term that it can hold.
func (a wide) inRange() bool { return a.hi > -1<<52 && a.hi < 1<<52 }

func (a wide) compare(b wide) int {
	switch {
	case a.hi != b.hi:
		return order(a.hi < b.hi)
	case a.lo != b.lo:
		return order(a.lo < b.lo)
	}
	return 0
}

func order(less bool) int {
	if less {
		return -1
	}
	return 1
}
