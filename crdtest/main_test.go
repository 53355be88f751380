package crdtest_test

import (
	"testing"

	"github.com/crdkit/crdkit/crdtest"
)

func TestMain(m *testing.M) { crdtest.Main(m) }
