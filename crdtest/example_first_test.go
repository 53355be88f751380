package crdtest_test

import (
	"fmt"
	"testing"

	"github.com/crdkit/crdkit/crdtest"
)

// testCronTab is a test, such as func TestCronTab(t *testing.T).
func testCronTab(t testing.TB) {
	set := crdtest.Load(t, "../testdata/crontab/crd.yaml")
	set.Create(t, `{metadata: {name: a}, spec: {cronSpec: "* * * * *", image: i}}`, crdtest.Stored(`
spec: {cronSpec: "* * * * *", image: i, replicas: 1, suspend: false, concurrencyPolicy: Allow, history: {successful: 3, failed: 1}}`))
	set.Create(t, `
metadata: {name: b}
spec: {cronSpec: "* * * * *", image: i, replicas: 2, suspend: true}
`, crdtest.Admitted())
}

func Example() {
	fmt.Println(record(testCronTab)) // what go test prints for it
	// Output:
	// create CronTab "b": refused
	//   unmet: admitted
	//   unexpected: 3:41: spec.replicas: Invalid value: a suspended CronTab must not ask for replicas
	//     rule: !self.suspend || self.replicas == 0 (../testdata/crontab/crd.yaml:87:15)
	//     because !self.suspend is false, and self.replicas (2) == 0 is false
}
