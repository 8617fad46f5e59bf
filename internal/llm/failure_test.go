package llm_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"vaultbench/internal/llm"
)

func TestFailureClassOfOthers(t *testing.T) {
	assert.Equal(t, llm.Final, llm.FailureClass(errors.New("x")), "nothing is asked again by chance")
	assert.Equal(t, llm.Final, llm.FailureClass(context.Canceled))
}
