// Package defaulting fills in the defaults that a schema declares, and drops
// the nulls that would be in their way.
//
// kube-apiserver does both to every object it decodes: first it drops nulls
// that the schema does not admit and that no default replaces, then it sets
// defaults. A [Defaulter] offers the two steps apart, since they are not
// always taken together: after a webhook has changed an object only defaults
// are set, and after a conversion only nulls are dropped. See [defaulting] and
// [defaulting and nullable].
//
//	d := defaulting.New(node)
//	d.DropNulls(obj)
//	d.Default(obj)
//
// # Semantics
//
// [Defaulter.DropNulls] removes an entry of a map if its value is null and its
// schema, the property of that name or else additionalProperties, is not
// nullable and declares no default. Entries without a schema stay, and so do
// null elements of lists.
//
// [Defaulter.Default] goes from the root down. In every map it sets those
// properties that have a default and are absent, or null without being
// nullable; a null that is allowed stays. Then it goes on into all values,
// including the ones just set, which is why a default of {} is filled with the
// defaults of the properties below it. Where a map has a value of null by
// additionalProperties, or a list an element of null by items, the default
// declared there takes its place unless it is nullable. Nulls inside of a
// default value are neither dropped nor, if they are allowed, replaced.
//
// Values go by the schema of their place and what they are, not by the
// declared type. Only properties, items and additionalProperties count, and
// neither the default of the root nor anything under allOf, anyOf, oneOf and
// not. The metadata of an embedded resource is defaulted like anything else.
//
// # Reports
//
// [Defaulter.DropNullsAndReport] and [Defaulter.DefaultAndReport] do the same and return the
// path of each null that was dropped, or of each value that was set, in
// increasing order of [schema.Path.String]. What is inside of a value that was
// set is not listed. The paths consist of fields and indices; entries of a map
// count as fields.
//
// # Differences from Kubernetes
//
// The result is the same. The server sets a default and then fills it in,
// object by object; a Defaulter fills in the defaults themselves, once, when
// it is made. It keeps defaults as they are declared, and fills them in object
// by object too, when they would grow beyond a bound together: a few lists of
// lists of nulls in a schema can stand for more values than fit into memory.
//
// The server prunes the declared defaults before it serves a definition, in
// place in the schema. A Defaulter takes the schema as it is given.
//
// # Concurrency and ownership
//
// A [Defaulter] never changes and is safe for concurrent use. Its methods
// change the object in place; it belongs to the caller, must be a tree, and
// must not be used by anyone else meanwhile. Values that are set are copies,
// which share nothing with one another nor with the schema. A map that is nil
// is left alone. Nothing is allocated but the values to be set and the paths
// of reports, which are the caller's.
//
// [defaulting]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
// [defaulting and nullable]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting-and-nullable
package defaulting
