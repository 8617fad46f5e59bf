package oap

// Under is the engine with its state under another layer, for the vectors that
// change the passport and for rules that read what was paid before.
func (e *Engine) Under(l *Layer) *Engine { return &Engine{layer: l, env: l.newEnv(), state: e.state} }

// The limits that may stand unread.
var PublishedLimits, PublishedCaps = publishedLimits, publishedCaps
