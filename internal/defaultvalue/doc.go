// Package defaultvalue prepares the defaults of a schema to be set.
//
// A [Filler] fills each default with the defaults below it, so that a value that
// is set needs no walk. It bounds how many values that adds to the defaults of
// one schema. A [Template] makes the copies that are set.
//
//	filler := defaultvalue.NewFiller(100_000) // the most values that it adds
//	if v, filled := filler.Default(node); filled {
//		template := defaultvalue.NewTemplate(v)
//		obj["spec"] = template.Copy()
//	}
//
// Package defaulting and package fastpath set defaults that are prepared here.
// They decide which values get a default, and the tests of fastpath
// compare the two. The reference of package defaulting does not use this package:
// it sets a default as it is declared, and then fills it.
package defaultvalue
