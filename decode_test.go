package crdkit_test

import (
	"strings"
	"testing"

	"github.com/crdkit/crdkit"
)

// TestBodies checks that the fast and the reference implementation agree on
// request bodies that the server decodes in an unusual way or reports.
func TestBodies(t *testing.T) {
	p, _ := cronTabPair(t)
	const typ = `"apiVersion":"jobs.example.org/v1","kind":"CronTab",`
	const rest = `"metadata":{"name":"a","namespace":"default"},"spec":{"cronSpec":"* * * * *","image":1}}`
	for _, text := range []string{
		`{` + typ + rest,
		" \n{" + typ + rest + "\t\r\n",
		`{` + typ + rest + `x`,
		"\ufeff{" + typ + rest,
		`{` + typ + `"Kind":"CronTab",` + rest,
		`{` + typ + `"KIND":"Other",` + rest,
		`{` + typ + `"\u212aind":"Other",` + rest,
		"{" + typ + "\"\u212aind\":\"Other\"," + rest,
		`{` + typ + `"apiversion":5,` + rest,
		`{` + typ + `"APIVERSION":null,` + rest,
		`{` + typ + `"kind":"CronTab",` + rest,
		`{` + typ + `"kind":"Other",` + rest,
		`{` + typ + `"items":[],` + rest,
		`{` + typ + `"items":[{"kind":"CronTab"}],` + rest,
		`{"kind":"CronTab",` + rest,
		`{"apiVersion":"jobs.example.org/v1",` + rest,
		`{"apiVersion":"jobs.example.org/v1","kind":"",` + rest,
		`{"apiVersion":"jobs.example.org/v1","kind":null,` + rest,
		`{"apiVersion":"jobs.example.org/v1","kind":["CronTab"],` + rest,
		`{"apiVersion":"a/b/c","kind":"CronTab",` + rest,
		`{"apiVersion":"jobs.example.org/v0","kind":"CronTab",` + rest,
		`{"apiVersion":"jobs.example.org/v1\u0000","kind":"CronTab",` + rest,
		`{"apiVersion":"jobs.example.org\/v1","kind":"Cron\u0054ab",` + rest,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"image":1,"image":2}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"image":1,"im\u0061ge":2}}`,
		`{` + typ + `"metadata":{"name":"b"},"metadata":{"name":"a"},"spec":{"image":{"x":1,"x":2},"image":[{"y":1,"y":2},{"y":1,"y":2}]}}`,
		`{` + typ + `"metadata":{"name":"a","name":"b"},"spec":{"image":1},"spec":{"image":2},"sp\u0065c":{"replicas":3}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"":{"":1,"":2},"":{"":1,"":2}},"status":` + strings.Repeat(`{"a":`, 700) + `1` + strings.Repeat("}", 700) + `}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"image":"` + "\xff" + `"}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"image":"\ud800"}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"replicas":1.0,"image":1e400}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"replicas":18446744073709551615,"image":-0}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":{"replicas":01}}`,
		`{` + typ + `"metadata":{"name":"a"},"spec":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`,
		`{` + typ + `"metadata":"a","spec":null}`,
		`{` + typ + `"spec":{}}`,
		`[]`, `null`, `"a"`, `{}`, ``, `{`, `{"a"`, `kind: CronTab`,
	} {
		for _, fields := range []crdkit.FieldValidation{crdkit.Warn, crdkit.Ignore, crdkit.Strict} {
			onBothPaths(t, p, creating, []byte(text), nil, fields)
		}
	}
}
