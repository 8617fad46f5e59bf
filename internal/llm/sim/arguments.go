package sim

// Arguments is the JSON text that a banker puts into a transfer_funds call: the
// amount byte for byte as the goal states it, valid or not.
func Arguments(p Payment) string { return arguments(p) }
