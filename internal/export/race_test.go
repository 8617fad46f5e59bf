//go:build race

package export

const raced = true
