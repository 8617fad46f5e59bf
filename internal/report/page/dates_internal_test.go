package page

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"vaultbench/internal/record"
)

func TestDates(t *testing.T) {
	for _, tt := range []struct{ name, start, end, want, reason string }{
		{"a day", "2031-03-03T09:00:00Z", "2031-03-03T09:00:07Z", "2031-03-03 09:00:00 to 09:00:07 UTC", "the day once"},
		{"two days", "2031-03-03T23:59:58Z", "2031-03-04T00:00:07Z", "2031-03-03 23:59:58 to 2031-03-04 00:00:07 UTC", "both days"},
		{"elsewhere", "2031-03-04T00:30:00+01:00", "2031-03-03T23:45:00Z", "2031-03-03 23:30:00 to 23:45:00 UTC", "one clock"},
		{"not finished", "2031-03-03T09:00:00Z", "", "2031-03-03 09:00:00 UTC, not finished", "said, not left out"},
		{"no time", "soon", "", "soon", "as it stands"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, dates(record.Manifest{StartedAt: tt.start, FinishedAt: tt.end}), tt.reason)
		})
	}
}

func TestLineOf(t *testing.T) {
	assert.Equal(t, claimLine{"Level 5 behind oap: ", "0 in 3."}, lineOf("Level 5 behind oap: 0 in 3."), "of whom, and what")
	assert.Equal(t, claimLine{"", "Nothing ran."}, lineOf("Nothing ran."), "a sentence stays one")
}
