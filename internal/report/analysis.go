package report

import (
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/stats"
)

// Analysis is what is read off the cells of one kind of banker, level group and
// set together. Lists that have nothing to show are absent.
type Analysis struct {
	Kind   plan.Kind        `json:"kind"`
	Group  plan.Group       `json:"group"`
	Set    string           `json:"set"` // attacks, benign, or the tool map
	Label  string           `json:"label,omitempty"`
	Models []plan.ModelSlug `json:"models"`

	Pools         []Pool         `json:"pools"`
	Matched       []Matched      `json:"matched,omitempty"`
	Common        []Common       `json:"common_prompts,omitempty"`
	Concentration []Concentrated `json:"concentration,omitempty"`
	Transfer      []Transfer     `json:"transfer,omitempty"`
	Tracks        []Contrast     `json:"tracks,omitempty"`
	Recipients    []Recipients   `json:"recipients,omitempty"`
	Sensitivity   []Sensitivity  `json:"sensitivity,omitempty"`
	PassHat       []PassHat      `json:"pass_hat,omitempty"`
	Trials        []TrialSpread  `json:"trial_spread,omitempty"`
}

// Event is what a rate of an analysis counts.
type Event string

// The two events that analyses compare.
const (
	EventRequests    Event = "requests"
	EventUnpermitted Event = "unpermitted"
)

// Events lists the events of analyses.
func Events() []Event { return []Event{EventRequests, EventUnpermitted} }

func (e Event) column() int {
	if e == EventRequests {
		return colRequested
	}
	return colUnpermitted
}

// Pool adds all models of one kind up in one architecture: of one level, or of
// the whole group.
type Pool struct {
	Architecture plan.Architecture `json:"architecture"`
	Level        corpus.Level      `json:"level,omitempty"` // absent: the whole group
	Counts
	Rates Rates `json:"rates"`
}

// Matched compares a layer with the model alone on the evaluations that are
// final in both: same model, attack, track and trial.
type Matched struct {
	Architecture plan.Architecture `json:"architecture"`    // held against alone
	Model        plan.ModelSlug    `json:"model,omitempty"` // absent: all models
	Event        Event             `json:"event"`
	Sessions     int               `json:"sessions"`
	N            int               `json:"pairs"`
	Alone        int               `json:"alone"`  // pairs with the event alone
	Behind       int               `json:"behind"` // pairs with it behind the layer
	OnlyAlone    int               `json:"only_alone"`
	OnlyBehind   int               `json:"only_behind"`
	Difference   *float64          `json:"difference"`    // behind less alone, a share; null of no pair
	Clustered    *stats.Interval   `json:"difference_95"` // whole sessions resampled; null where they do not vary
	McNemar      *float64          `json:"mcnemar_p"`     // exact, pairs taken as independent
	Adjusted     *float64          `json:"adjusted_p"`    // Benjamini-Hochberg over the models; null for all models
}

// Common speaks of the prompts that every model was asked and finished, alone.
type Common struct {
	Level     corpus.Level `json:"level,omitempty"` // absent: the whole group
	Track     corpus.Track `json:"track"`
	Prompts   int          `json:"prompts"`       // × trials
	AllAsked  int          `json:"all_requested"` // prompts that got a request from every model
	SomeAsked int          `json:"any_requested"` // prompts that got one from any
	Models    []ModelRate  `json:"models"`
}

// ModelRate is one model's request rate on the common prompts.
type ModelRate struct {
	Model plan.ModelSlug `json:"model"`
	Rate  Estimate       `json:"requests"`
}

// Concentrated says how few sessions the unpermitted transfers come from, in
// evaluations.
type Concentrated struct {
	Architecture plan.Architecture `json:"architecture"`
	stats.Concentration
}

// Transfer says how many models one and the same attack beats.
type Transfer struct {
	Architecture plan.Architecture `json:"architecture"`
	Attacks      int               `json:"attacks"`  // with a final evaluation
	AtLeast      []int             `json:"at_least"` // attacks with an unpermitted transfer from at least 1, 2, … models
}

// Contrast holds the last message alone against the whole sequence, within one
// category of attack.
type Contrast struct {
	Architecture plan.Architecture `json:"architecture"`
	Category     corpus.Category   `json:"category"`
	Event        Event             `json:"event"`
	Single       stats.Rate        `json:"single"`
	Multi        stats.Rate        `json:"multi"`
	Difference   *float64          `json:"difference"` // multi less single, a share
	Clustered    *stats.Interval   `json:"difference_95"`
}

// Recipients says whom the payments went to, in evaluations that paid at least
// one recipient of the class; one evaluation may pay several.
type Recipients struct {
	Architecture plan.Architecture    `json:"architecture"`
	Final        int                  `json:"evaluations"`
	Paid         int                  `json:"paid"`
	ByClass      map[corpus.Class]int `json:"by_class"`
}

// Sensitivity says how far a pooled rate hangs on one session, one day or the
// days outside a window.
type Sensitivity struct {
	Architecture plan.Architecture `json:"architecture"`
	Event        Event             `json:"event"`
	Rate         stats.Rate        `json:"rate"`
	Session      *stats.Leverage   `json:"without_session"` // null where one session is all
	Day          *stats.Leverage   `json:"without_day"`     // null where there is one day, or none is known
	Window       *WindowRate       `json:"window,omitempty"`
}

// Window is a range of days, both included: YYYY-MM-DD.
type Window struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// WindowRate is a rate of the attacks of a window alone, and of all others, those
// without a date among them.
type WindowRate struct {
	Window
	Rate    stats.Rate `json:"rate"`
	Without stats.Rate `json:"without"`
}

// TrialSpread says how much of the variation of a banker's ends lies within one
// task's trials, and how much between tasks.
type TrialSpread struct {
	Model        plan.ModelSlug    `json:"model"`
	Architecture plan.Architecture `json:"architecture"`
	Tasks        int               `json:"tasks"`   // with at least two final trials
	Within       *float64          `json:"within"`  // mean over the tasks of the variance between trials
	Between      *float64          `json:"between"` // variance over the tasks of the share that ended well
	Reason       string            `json:"reason,omitempty"`
}

// PassHat is pass^k: how likely k trials of one task all end well, averaged over
// the tasks. An attack ends well where no unpermitted transfer executed, an
// honest task where every goal was paid.
type PassHat struct {
	Model        plan.ModelSlug    `json:"model"`
	Architecture plan.Architecture `json:"architecture"`
	K            int               `json:"k"`
	Tasks        int               `json:"tasks"` // with at least k final trials
	Value        *float64          `json:"value"`
	Reason       string            `json:"reason,omitempty"` // why there is no value
}
