package crdkit_test

import (
	"context"
	"fmt"

	"github.com/crdkit/crdkit"
)

// An object as somebody writes it, with a field that nobody knows.
const spelled = `{ "kind": "CronTab", "apiVersion": "example.com/v1",
  "metadata": { "namespace": "default", "name": "a", "generation": 1 },
  "spec": { "cronSpec": "* * * * *", "typo": true } }`

// Canonical output, which is the default, is what the server encodes.
func ExampleCanonical() {
	v := compiledVersion("v1")
	out, _, err := v.CreateJSON(context.Background(), []byte(spelled), crdkit.Canonical())
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
	// Output:
	// {"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"generation":1,"name":"a","namespace":"default"},"spec":{"cronSpec":"* * * * *","replicas":1}}
}

// Splice leaves the spelling of the client alone: the unknown field has gone,
// the default has come.
func ExampleSplice() {
	v := compiledVersion("v1")
	out, _, err := v.CreateJSON(context.Background(), []byte(spelled), crdkit.Splice())
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
	// Output:
	// { "kind": "CronTab", "apiVersion": "example.com/v1",
	//   "metadata": { "namespace": "default", "name": "a", "generation": 1 },
	//   "spec": { "cronSpec": "* * * * *" ,"replicas":1} }
}

// Memory for the output can be used again.
func ExampleAppendTo() {
	v := compiledVersion("v1")
	var buf []byte
	for range 2 {
		out, _, err := v.CreateJSON(context.Background(), []byte(spelled), crdkit.AppendTo(buf[:0]))
		if err != nil {
			panic(err)
		}
		buf = out
	}
	fmt.Println(len(buf))
	// Output: 154
}

func ExampleVersion_ValidJSON() {
	v := compiledVersion("v1")
	fmt.Println(v.ValidJSON([]byte(spelled)))
	fmt.Println(v.ValidJSON([]byte(`{"apiVersion": "example.com/v1", "kind": "CronTab", "metadata": {"name": "a"}, "spec": {}}`)))
	// Output:
	// true
	// false
}
