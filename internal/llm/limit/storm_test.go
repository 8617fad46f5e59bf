package limit_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/limit"
	"vaultbench/internal/llm/llmtest"
)

// TestStorm: 100 workers of ten cells against a provider that serves 20 requests a
// second and refuses the rest. Nothing is lost, no request is asked more often
// than allowed, no more are under way than may be, and no cell starves.
func TestStorm(t *testing.T) {
	for _, advice := range []string{"", "1", "date"} {
		t.Run("advice "+advice, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { storm(t, advice) }) })
	}
}

func storm(t *testing.T, advice string) {
	const workers, cells, each, retries, perSecond = 100, 10, 20, 8, 20
	var mu sync.Mutex
	var second time.Time
	served, refused, now, peak := 0, 0, 0, 0
	attempts := map[string]int{}
	server := llmtest.ClientFunc(func(_ context.Context, req llm.Request) (llm.Reply, error) {
		mu.Lock()
		attempts[req.Messages[0].Content]++
		now++
		peak = max(peak, now)
		if at := time.Now().Truncate(time.Second); at.After(second) {
			second, served = at, 0
		}
		served++
		ok := served <= perSecond
		mu.Unlock()
		time.Sleep(10 * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		now--
		if ok {
			return llm.Reply{}, nil
		}
		refused++
		if advice == "date" {
			return llm.Reply{}, fails(llm.Overload, time.Now().Add(2*time.Second).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"))
		}
		return llm.Reply{}, fails(llm.Overload, advice)
	})
	l := limit.New(limit.Config{Max: workers, Retries: retries})
	start := time.Now()
	done := make([]time.Duration, cells) // when a cell had its last reply
	var wg sync.WaitGroup
	for worker := range workers {
		cell, c := worker%cells, l.Client(server)
		wg.Go(func() {
			for i := range each {
				_, err := c.Chat(t.Context(), llm.Request{Messages: []llm.Message{{Content: fmt.Sprintf("%d/%d", worker, i)}}})
				assert.NoError(t, err)
			}
			mu.Lock()
			defer mu.Unlock()
			done[cell] = max(done[cell], time.Since(start))
		})
	}
	wg.Wait()
	require.Len(t, attempts, workers*each)
	total := 0
	for request, n := range attempts {
		total += n
		assert.LessOrEqual(t, n, retries+1, "request %s", request)
	}
	assert.Positive(t, refused, "there was a storm")
	assert.Equal(t, int64(total-workers*each), l.State().Retries)
	assert.LessOrEqual(t, peak, workers)
	first, last := done[0], done[0]
	for _, d := range done {
		first, last = min(first, d), max(last, d)
	}
	assert.Less(t, last, 2*first, "cells that began together end together: %v", done)
	t.Logf("%d requests, %d refused, %s for an ideal of %s; the first cell done after %s", workers*each, refused, last, workers*each/perSecond*time.Second, first)
}
