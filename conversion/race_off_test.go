//go:build !race

package conversion_test

const raceFactor = 1
