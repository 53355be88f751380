// Package conversiontest tests conversions: it makes objects up from the
// schemas of a definition, converts them to another version and back, and says
// what got lost or changed on the way, with as small an object as shows it.
//
//	tester, err := conversiontest.New(crd, conversiontest.Func(convert))
//	report, err := tester.RoundTrip(ctx, "v1beta1", "v1")
//	if report.Failure != nil {
//		t.Error(report.Failure)
//	}
//
// Everything that converts can be tested: a [conversion.ConvertFunc] before it
// is served, a webhook that runs somewhere, a Converter of one's own, and a
// definition's own strategy. In a fuzz test, [Tester.Seeded] turns a number into
// an object and takes it there and back.
//
// # Semantics
//
// Objects are made from the schema of the version that they start at: with and
// without optional fields, values of all sorts and, every second one, limits
// hit exactly. Each has been created before it is converted, as the server
// does it: pruned, defaulted and admitted. What is not admitted is not used, so
// that no conversion is blamed for an object that cannot exist.
//
// On the way there and on the way back, the server's rules hold: what a
// conversion may change of metadata, and that fields and nulls are removed that
// the schema of the version does not admit. No defaults of the other version
// are set, since they are not the conversion's doing. An object has survived if
// it equals what it was. A field that has come in is a failure, too.
//
// A conversion between versions of which one can say less than the other must
// keep what the other cannot say somewhere, such as in an annotation.
//
// The object of a failure is made smaller as long as it stays one that the
// server admits and fails at the same place. The same seed gives the same
// objects, the same failure and the same smallest object, whatever the machine.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion.
//
// # Differences from Kubernetes
//
// The server converts and does not look back; it would not notice.
//
// # Concurrency and ownership
//
// A [Tester] never changes and is safe for concurrent use, if the conversion
// is. Reports and failures belong to the caller.
package conversiontest
