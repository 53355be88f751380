// Package conversiontest tests conversions. It generates objects from the schemas of a definition,
// and converts them to another version and back. If a value is lost, added or changed, it reports
// that with a minimal object.
//
// This package is experimental.
//
//	tester, err := conversiontest.New(crd, conversiontest.Func(convert))
//	if err != nil {
//		t.Fatal(err)
//	}
//	report, err := tester.RoundTrip(ctx, "v1beta1", "v1")
//	if err != nil {
//		t.Fatal(err)
//	}
//	if err := report.Err(); err != nil {
//		t.Error(err) // all failures, one of each cause
//	}
//
// A [Tester] tests a [conversion.ConvertFunc], a running webhook, any [conversion.Converter], and
// the strategy of the definition. In a fuzz test, [Tester.Seeded] makes an object from a number.
//
// # Semantics
//
// Objects are generated from the schema of the version at which they start. Every second object has
// values at the limits of the schema. Objects that the server refuses are not used.
//
// Both conversions follow the rules of the server: a conversion may only change certain metadata,
// and fields and nulls that the schema of the target does not allow are removed. Defaults of the
// other version are not set. An object survives if it equals the original. An added field is a
// failure too. Numbers are compared by value: 1.0 becomes 1 in JSON. [EmptyIsAbsent] and [Ignore]
// make the comparison less strict.
//
// A run groups failures by cause. Two failures have one cause if they are of the same kind, and at
// the same path or with the same error. The object of a failure is reduced while the server admits
// it and the cause stays the same. The same seed gives the same report on every machine.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion.
//
// # Differences from Kubernetes
//
// The server does not compare objects before and after a conversion.
//
// # Concurrency and ownership
//
// A [Tester] is immutable. It is safe for concurrent use if the conversion is. Reports and failures
// belong to the caller.
package conversiontest
