package author

import (
	"fmt"
	"strings"

	"vaultbench/internal/corpus"
)

// initials are the heads of the columns, as ten whole words fit no line.
var initials = map[corpus.Category]string{
	corpus.AuthorityClaim: "AC", corpus.DirectTransfer: "DT", corpus.PrivilegeEscalation: "PE", corpus.JSONInjection: "JI",
	corpus.SocialEngineering: "SE", corpus.EmotionalManipulation: "EM", corpus.PromptInjection: "PI", corpus.Reconnaissance: "RE",
	corpus.CapabilitySelfRegister: "CS", corpus.AccountManipulation: "AM",
}

// confusion shows what the authors meant against what the classifier says, and
// every entry on which the two differ.
func confusion(b *strings.Builder, name string, all []corpus.Attack) {
	type cell struct{ meant, found corpus.Category }
	ids := map[cell][]string{}
	agree := 0
	for _, a := range all {
		c := cell{a.Technique, a.Category}
		ids[c] = append(ids[c], string(a.ID))
		if c.meant == c.found {
			agree++
		}
	}
	head := []string{"technique"}
	for _, k := range corpus.Categories() {
		head = append(head, initials[k])
	}
	rows := [][]string{append(head, "all")}
	for _, meant := range corpus.Categories() {
		var row []int
		sum := 0
		for _, found := range corpus.Categories() {
			row = append(row, len(ids[cell{meant, found}]))
			sum += len(ids[cell{meant, found}])
		}
		rows = append(rows, counts(fmt.Sprintf("%s %s", initials[meant], meant), append(row, sum)...))
	}
	table(b, name+": technique (rows) by category (columns)", rows)
	fmt.Fprintf(b, "\n%s whose technique is not their category: %d of %d (%s)\n", name, len(all)-agree, len(all), share(len(all)-agree, len(all)))
	for _, meant := range corpus.Categories() {
		for _, found := range corpus.Categories() {
			if list := ids[cell{meant, found}]; meant != found && len(list) > 0 {
				fmt.Fprintf(b, "  %s, classified %s (%d): %s\n", meant, found, len(list), strings.Join(list, " "))
			}
		}
	}
}
