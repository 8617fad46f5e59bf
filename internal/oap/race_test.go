//go:build race

package oap_test

const raced = true
