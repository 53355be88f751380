// Package table makes the rows that kubectl get prints for custom resources:
// a metav1.Table with the columns that a version of a definition declares.
//
//	p, err := table.New(version.AdditionalPrinterColumns)
//	t := p.List(list, time.Now()) // GET .../RESOURCE as a table
//	t = p.Object(obj, time.Now()) // GET .../RESOURCE/NAME as a table
//
// # Semantics
//
// The first column is the name. The others are the declared ones in their order
// with their types, formats, priorities and descriptions; a column without a
// description is described by its path. A version that declares no columns has
// one of its own, the age of the object. Clients leave out columns whose priority
// is not 0 unless they are asked for everything (kubectl get -o wide).
//
// A cell is the first value that the path of its column finds. It is null if
// there is none, or if the value is not of the type of the column:
//
//   - string takes any value: text as it is, numbers and booleans as they print,
//     objects and arrays as JSON, and null as "<no value>".
//   - integer and number take both kinds of numbers; an integer column drops
//     what is behind the point.
//   - boolean takes booleans.
//   - date takes times as text (RFC 3339) and shows how long ago they were, from
//     the time that the caller says it is; text that is no time is "<invalid>"
//     and empty text "<unknown>".
//
// Paths are those of k8s.io/client-go/util/jsonpath, with all that they can do:
// indexes, wildcards, recursive descent, filters, unions. A path that does not
// parse ends the columns, and [New] says so; the server serves such a definition
// without these columns, and so does the Printer that New returns all the same.
//
// Each row has the metadata of its object, which is where kubectl finds
// namespace and labels; [IncludeObject] asks for all of it or for none.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#additional-printer-columns.
//
// # Differences from Kubernetes
//
//   - Wildcards and recursive descent meet the fields of an object in increasing
//     order of name. On the server the order is left to chance, and so is what
//     the cell has.
//   - A path with a range is evaluated for each object as for the first one. On
//     the server it is not parsed anew and finds something else each time.
//   - An object with a list at its top-level field items has a row. The server
//     takes it for a list and fails.
//   - A path that makes the server panic has no value.
//   - A path may look at a million values for one cell, and finds nothing if
//     that does not suffice. On the server it goes on for as long as it takes,
//     which a path of many recursive descents can make very long.
//
// # Concurrency and ownership
//
// A [Printer] never changes and is safe for concurrent use. Objects are read
// only. A Table belongs to the caller, but may share with the objects what
// their metadata holds, and with [IncludeObject] the objects themselves.
package table
