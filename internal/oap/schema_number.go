package oap

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"vaultbench/internal/oap/condition"
)

// numberTest checks a number that need not be an integer against its bounds,
// exactly: a float would round what lies just beyond one.
func numberTest(s schemaObject) (valueTest, error) {
	var low, high *big.Rat
	if s.Minimum != nil {
		if low = rational(s.Minimum.String()); low == nil {
			return nil, fmt.Errorf("bound %s is too long", *s.Minimum)
		}
	}
	if s.Maximum != nil {
		if high = rational(s.Maximum.String()); high == nil {
			return nil, fmt.Errorf("bound %s is too long", *s.Maximum)
		}
	}
	if low != nil && high != nil && low.Cmp(high) > 0 {
		return nil, fmt.Errorf("minimum is %s and maximum is %s: nothing is between them", *s.Minimum, *s.Maximum)
	}
	return func(v *condition.Value) error {
		var n *big.Rat
		text := v.Str
		switch v.Kind {
		case condition.KindInt:
			n, text = new(big.Rat).SetInt64(v.Int), v.Text()
		case kindFraction:
			n = rational(text)
		default:
			return fmt.Errorf("want a number, not %s", v.Kind)
		}
		switch {
		case n == nil:
			return fmt.Errorf("the number is too long")
		case low != nil && n.Cmp(low) < 0, high != nil && n.Cmp(high) > 0:
			return fmt.Errorf("%s is out of range", text)
		}
		return nil
	}, nil
}

// The longest number whose exact value is worth its memory.
const (
	maxDigits   = 64
	maxExponent = 400
)

// rational reads a JSON number exactly; nil where it is too long.
func rational(text string) *big.Rat {
	if len(text) > maxDigits {
		return nil
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		if e, err := strconv.Atoi(text[at+1:]); err != nil || e > maxExponent || e < -maxExponent {
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return r
}
