package crdtest_test

import (
	"testing"

	"github.com/crdkit/crdkit/crdtest"
)

func TestCronTab(t *testing.T) {
	set := crdtest.Load(t, "../testdata/crontab/crd.yaml")
	valid := `{metadata: {name: a}, spec: {cronSpec: "0 3 * * *", image: backup}}`
	crdtest.Mutations(t, set, valid,
		crdtest.Put("/spec/replicas", 100),
		crdtest.Put("/spec/replicas", 101).Wants(crdtest.Refused("spec.replicas", "less than or equal to 100")),
		crdtest.Put("/spec/suspend", true).Wants(crdtest.RefusedBy("!self.suspend || self.replicas == 0")),
		crdtest.Delete("/spec/image").Wants(crdtest.Errors("spec.image: Required value")),
	)
}
