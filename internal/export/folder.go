package export

import (
	"context"
	"fmt"
)

// goesOn is an error once somebody wants it to end.
func goesOn(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted, nothing was written: %w", ctx.Err())
	}
	return nil
}
