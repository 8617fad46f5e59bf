package record

import "io"

// WriteLine writes an evaluation as it stands in evaluations.jsonl.
func WriteLine(w io.Writer, e Evaluation) error {
	raw, err := encode(e)
	if err != nil {
		return err
	}
	_, err = w.Write(raw)
	return err
}
