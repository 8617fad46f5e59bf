// Package spelling tells how far two words are from each other, for messages that
// name the one that was probably meant.
package spelling

// Edits is the Levenshtein distance of two strings, in bytes: how many must be
// added, left out or changed.
func Edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}
