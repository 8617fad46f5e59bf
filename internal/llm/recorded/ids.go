package recorded

import "fmt"

// ids are those that a file's conversations have taken.
type ids struct {
	lines  map[string]int // where each stands
	suffix map[string]int // the next suffix to try for one that is repeated
}

func newIDs() ids { return ids{map[string]int{}, map[string]int{}} }

// claim takes the id for this line. A source that numbers its runs by what they
// are, not one by one, repeats itself: there the id gets a suffix.
func (t ids) claim(c *Conversation, line int, repeats bool) error {
	base := c.ID
	for n := max(2, t.suffix[base]); t.lines[c.ID] > 0; n++ {
		if !repeats {
			return fmt.Errorf("the id stands in line %d already: give each conversation its own", t.lines[c.ID])
		}
		c.ID = fmt.Sprintf("%s#%d", base, n)
		t.suffix[base] = n + 1
	}
	t.lines[c.ID] = line
	return nil
}
