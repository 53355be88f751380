// Package table makes the tables that kubectl get prints for custom resources: a
// metav1.Table with the columns that a version of a definition declares.
//
// This package is experimental.
//
//	p, err := table.New(version.AdditionalPrinterColumns)
//	if err != nil {
//		log.Print(err) // p has the columns before the one that does not parse
//	}
//	t := p.List(list, time.Now()) // GET .../RESOURCE as a table
//	t = p.Object(obj, time.Now()) // GET .../RESOURCE/NAME as a table
//
// # Semantics
//
// The first column is the name. The declared columns follow in their order, with their
// types, formats, priorities and descriptions; the description defaults to the path.
// A version without declared columns has one for the age of the object. Clients omit
// columns whose priority is not 0, unless the user asks for all (kubectl get -o wide).
//
// A cell is the first value that the path of its column finds. It is null if there is
// none or if the value does not have the type of the column:
//
//   - string accepts any value: strings as they are, numbers and booleans as Go prints
//     them, objects and arrays as JSON, and null as "<no value>".
//   - integer and number accept both kinds of numbers; integer truncates fractions.
//   - boolean accepts booleans.
//   - date accepts times in the format of RFC 3339 and shows their age at the time that
//     the caller passes. Other text is "<invalid>", and empty text "<unknown>".
//
// Paths have all features of k8s.io/client-go/util/jsonpath. If one does not parse, [New] returns
// an error and a Printer with the columns before it. The server serves that table.
//
// Each row has the metadata of its object, where kubectl finds namespace and labels.
// [IncludeObject] puts the whole object in its place, or nothing.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#additional-printer-columns.
//
// # Differences from Kubernetes
//
//   - Wildcards and recursive descent visit fields sorted by name. The server's order is random.
//   - A path with a range finds the same values in each object. The server keeps state between
//     objects.
//   - An object with a list in its top-level field items has a row. The server fails.
//   - If the server panics on a path, it finds no value.
//   - A path visits at most a million values for a cell. If it needs more, it finds nothing.
//
// # Concurrency and ownership
//
// A [Printer] does not change and is safe for concurrent use. It does not change
// objects. A Table belongs to the caller, but it may share memory with the metadata of
// the objects and, with [IncludeObject], with the objects.
package table
