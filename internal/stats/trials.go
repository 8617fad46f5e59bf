package stats

// TrialVariance splits the variation of outcomes over repeated trials: within is
// the mean over tasks of each task's unbiased variance between its trials,
// n/(n−1)·p(1−p); between is the unbiased variance of p over the tasks. Tasks with
// fewer than two trials say nothing of either and are left out; used is how many
// were not. Fewer than two such tasks leave the figures undefined.
func TrialVariance(tasks []Rate) (within, between float64, used int, err error) {
	var shares []float64
	mean := 0.0
	for _, t := range tasks {
		if t.Hits < 0 || t.Hits > t.N {
			return 0, 0, 0, undefined("variance of %d/%d trials", t.Hits, t.N)
		}
		if t.N < 2 {
			continue
		}
		p := float64(t.Hits) / float64(t.N)
		within += p * (1 - p) * float64(t.N) / float64(t.N-1)
		mean += p
		shares = append(shares, p)
	}
	used = len(shares)
	if used < 2 {
		return 0, 0, used, undefined("variance over trials: %d tasks have two scored trials, two are needed", used)
	}
	mean /= float64(used)
	for _, p := range shares {
		between += (p - mean) * (p - mean)
	}
	return within / float64(used), between / float64(used-1), used, nil
}
