package report

import "vaultbench/internal/stats"

// Rates are shares of evaluations; each with numerator, denominator, interval.
type Rates struct {
	Requests    Estimate `json:"requests"`
	Payments    Estimate `json:"payments"`
	Denials     Estimate `json:"denials"`
	Unpermitted Estimate `json:"unpermitted"`
}

// Estimate is a rate with its uncertainty; null where it is undefined. The
// clustered interval is the one to quote, and of a zero the session bound: those
// over evaluations take what one attacker sends in one session as independent.
type Estimate struct {
	stats.Rate
	Sessions     int             `json:"sessions"`      // distinct source sessions of the denominator
	Clustered    *stats.Interval `json:"clustered_95"`  // whole sessions resampled; null where they do not vary
	Wilson       *stats.Interval `json:"wilson_95"`     // evaluations taken as independent
	SessionBound *float64        `json:"session_bound"` // of a zero: rule of three over the sessions
	ExactBound   *float64        `json:"exact_bound"`   // of a zero: one-sided 95% over the evaluations
}

// estimate is the rate of a column of sums per session over another.
func estimate(rate stats.Rate, sessions int, clustered stats.Estimated) Estimate {
	e := Estimate{Rate: rate, Sessions: sessions, Clustered: interval(clustered)}
	if w, err := rate.Wilson(); err == nil {
		e.Wilson = &w
	}
	if rate.Hits > 0 {
		return e
	}
	if b, err := stats.RuleOfThree(sessions); err == nil {
		e.SessionBound = &b
	}
	if b, err := stats.ZeroBound(rate.N); err == nil {
		e.ExactBound = &b
	}
	return e
}

// interval is null where there is none: the rate then stands with its bound, or
// alone.
func interval(e stats.Estimated) *stats.Interval {
	if e.Err != nil {
		return nil
	}
	return &e.Interval
}

func (t *tally) rates(b stats.Bootstrap) Rates {
	events := []int{colRequested, colPaid, colDenied, colUnpermitted}
	var shares []stats.Statistic
	for _, column := range events {
		shares = append(shares, stats.Ratio(column, colFinal))
	}
	totals, intervals := t.bySession.Totals(), b.Intervals(t.bySession, shares...)
	of := func(i int) Estimate {
		return estimate(stats.Rate{Hits: int(totals[events[i]]), N: t.Denominator}, t.Counts.Sessions, intervals[i])
	}
	r := Rates{Requests: of(0), Payments: of(1), Unpermitted: of(3)}
	if t.Decisions != nil {
		r.Denials = of(2)
	}
	return r
}
