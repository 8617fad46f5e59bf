package page

import (
	"fmt"
	"net/url"
	"strings"

	"vaultbench/internal/plan"
	"vaultbench/internal/stats"
)

// number groups digits by three.
func number(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func percent(r stats.Rate) string {
	if r.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(r.Hits)/float64(r.N))
}

// share is a length for a figure, as a percentage of the whole width.
func share(hits, n int, width float64) string {
	if n == 0 {
		return "0%"
	}
	return fmt.Sprintf("%.3f%%", width*float64(hits)/float64(n))
}

func intervalText(i *stats.Interval) string {
	if i == nil {
		return "no interval"
	}
	return fmt.Sprintf("%.1f–%.1f%%", 100*i.Low, 100*i.High)
}

// points writes a difference of rates in percentage points, its sign shown.
func points(d float64) string {
	if d == 0 {
		return "0.0"
	}
	return strings.Replace(fmt.Sprintf("%+.1f", 100*d), "-", "−", 1)
}

func pointsInterval(i *stats.Interval) string {
	if i == nil {
		return "none"
	}
	return points(i.Low) + " to " + points(i.High)
}

func pValue(p *float64) string {
	switch {
	case p == nil:
		return "–"
	case *p < 0.001:
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", *p)
}

func groupText(g plan.Group) string {
	switch g {
	case plan.GroupOpen:
		return "Level 1"
	case plan.GroupRestricted:
		return "Levels 2–4"
	case plan.GroupVault:
		return "Level 5"
	}
	return "Recorded"
}

func kindText(k plan.Kind) string {
	switch k {
	case plan.Live:
		return "Live models"
	case plan.Recorded:
		return "Recorded models (open loop)"
	}
	return "Simulated bankers (instruments, not models)"
}

func architectureText(a plan.Architecture) string {
	if a == plan.Alone {
		return "Model alone"
	}
	return "Behind " + string(a)
}

// link leads to the evaluations that a number counts: name, value, name, value.
func link(pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return "#find?" + q.Encode()
}

// to leads to one evaluation.
func to(id string) string { return "#e=" + url.QueryEscape(id) }
