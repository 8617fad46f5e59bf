package stats

import (
	"maps"
	"slices"
)

// Sessions holds sufficient statistics: one row of sums per source session, in
// columns that the caller names by number. It needs memory by session, however
// many evaluations are added. It is not safe for concurrent use.
type Sessions struct {
	width int
	rows  map[string][]int64

	last    string // the session that was asked for last, and its row: mostly the next one's
	lastRow []int64
}

// NewSessions makes one with as many columns.
func NewSessions(columns int) *Sessions {
	return &Sessions{width: columns, rows: map[string][]int64{}}
}

// Row returns the sums of a session, to be added to; a new session's are zero.
func (s *Sessions) Row(session string) []int64 {
	if session == s.last && s.lastRow != nil {
		return s.lastRow
	}
	row, ok := s.rows[session]
	if !ok {
		row = make([]int64, s.width)
		s.rows[session] = row
	}
	s.last, s.lastRow = session, row
	return row
}

// Len is the number of sessions.
func (s *Sessions) Len() int { return len(s.rows) }

// Names lists the sessions, sorted.
func (s *Sessions) Names() []string { return slices.Sorted(maps.Keys(s.rows)) }

// Totals adds the sessions up, but for those named.
func (s *Sessions) Totals(without ...string) []int64 {
	total := make([]int64, s.width)
	for name, row := range s.rows {
		if slices.Contains(without, name) {
			continue
		}
		for i, v := range row {
			total[i] += v
		}
	}
	return total
}

// Column lists a column's sums by session, in the order of Names.
func (s *Sessions) Column(column int) []int64 {
	var sums []int64
	for _, name := range s.Names() {
		sums = append(sums, s.rows[name][column])
	}
	return sums
}

// WithAny counts the sessions whose column is above zero.
func (s *Sessions) WithAny(column int) int {
	n := 0
	for _, row := range s.rows {
		if row[column] > 0 {
			n++
		}
	}
	return n
}

// entry is a sum that is not zero, of the session of that number.
type entry struct {
	session int
	sum     int64
}

// sparse lists the sums of each column that are not zero. Sessions are numbered
// by name, so that nothing depends on the order in which evaluations ended.
func (s *Sessions) sparse() [][]entry {
	columns := make([][]entry, s.width)
	for i, name := range s.Names() {
		for j, v := range s.rows[name] {
			if v != 0 {
				columns[j] = append(columns[j], entry{i, v})
			}
		}
	}
	return columns
}

// Statistic computes a figure from the totals of the columns; false where they
// leave it undefined.
type Statistic func(totals []int64) (float64, bool)

// Ratio is one column's total over another's.
func Ratio(hits, n int) Statistic {
	return func(t []int64) (float64, bool) {
		return float64(t[hits]) / float64(t[n]), t[n] > 0
	}
}

// Minus is the difference of two statistics of the same sessions.
func Minus(a, b Statistic) Statistic {
	return func(t []int64) (float64, bool) {
		x, okX := a(t)
		y, okY := b(t)
		return x - y, okX && okY
	}
}

// Leverage says how far a figure hangs on single sessions.
type Leverage struct {
	Low     float64 `json:"low"`      // least value with one session left out
	High    float64 `json:"high"`     // greatest value with one session left out
	LeftOut string  `json:"left_out"` // whose absence moves the figure most; the first by name of equals
	Without float64 `json:"without"`  // the figure without it
}

// LeaveOneOut computes the statistic with each session left out in turn. It
// needs two sessions, and a value for each of the remainders.
func (s *Sessions) LeaveOneOut(f Statistic) (Leverage, error) {
	whole, ok := f(s.Totals())
	if !ok || s.Len() < 2 {
		return Leverage{}, undefined("leave one out of %d sessions", s.Len())
	}
	var l Leverage
	rest := s.Totals()
	for i, name := range s.Names() {
		row := s.rows[name]
		for j, v := range row {
			rest[j] -= v
		}
		v, ok := f(rest)
		if !ok {
			return Leverage{}, undefined("leave out session %q", name)
		}
		for j, w := range row {
			rest[j] += w
		}
		if i == 0 {
			l = Leverage{Low: v, High: v, LeftOut: name, Without: v}
			continue
		}
		l.Low, l.High = min(l.Low, v), max(l.High, v)
		if abs(v-whole) > abs(l.Without-whole) {
			l.LeftOut, l.Without = name, v
		}
	}
	return l, nil
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}
