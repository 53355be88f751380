// Package pathstack holds the location of a walk. It builds the path only if an error or a report
// needs it.
//
//	var s pathstack.Stack
//	s.Push(pathstack.Property, "spec", 0)
//	s.Push(pathstack.Item, "", 2)
//	fmt.Println(s.Text())                         // spec[2]
//	fmt.Printf("%s", s.AppendSchemaPointer(nil)) // /properties/spec/items
//
// There are four kinds of location:
//
//   - A [Stack] is the location in an object and in its schema. Validation uses it.
//   - A [SchemaStack] is the location in the schema of a definition. The walks over
//     whole schemas use it.
//   - A [Chain] is the location in a definition, on the stack of the goroutine. The
//     other checks of definitions use it. It can start at a SchemaStack.
//   - A [Recorder] is the location in an object and the paths recorded so far.
//     Pruning and defaulting report their changes with it.
//
// Each location belongs to one walk and one goroutine.
package pathstack
