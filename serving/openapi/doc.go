// Package openapi makes the OpenAPI documents that kube-apiserver publishes for
// CustomResourceDefinitions: version 3, which contains the whole schemas, and version 2,
// which contains less.
//
// This package is experimental.
//
//	docs, err := openapi.V3(crds) // GET /openapi/v3/apis/GROUP/VERSION, by path
//	if err != nil {
//		return err
//	}
//	for path, doc := range docs {
//		data, err := doc.MarshalJSON()
//		...
//	}
//	all, err := openapi.V2(crds) // GET /openapi/v2
//
// [VersionV3] and [VersionV2] make the document of one version, and [Merge] joins
// documents. A [Document] is JSON.
//
// # Semantics
//
// For each served version, a document has the schemas of the kind and of its list, named
// by the reversed group, the version and the kind (com.example.stable.v1.CronTab), the
// paths of its requests, and the schemas of the Kubernetes types that they refer to.
//
// The schema of the kind is that of the definition with apiVersion, kind and a reference
// to ObjectMeta, also in embedded resources. A schema with x-kubernetes-int-or-string
// lists the types that it admits in anyOf. Rules, list types, the other x-kubernetes
// extensions and selectable fields are included as declared. A schema that is not
// structural is left out; the kind is then an object without further description.
//
// Version 2 leaves out what kubectl before 1.27 cannot read: allOf, anyOf, oneOf and not;
// type, items, properties and required of nullable values; items and properties where
// unknown fields are preserved; and all defaults. A kind that preserves unknown fields at
// its root is an object without further description.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#publish-validation-schema.
//
// # Differences from Kubernetes
//
// The documents are equal as JSON. Members are in increasing order of name.
//
//   - The server also publishes its own APIs in version 2, with the title and version of
//     its build.
//   - If two definitions claim one schema name or path, the server publishes one of them in
//     version 2 at random. [V2] and [Merge] return an error, as the server does in version
//     3.
//   - The kind of the list defaults to the kind followed by List, as the server sets it on
//     creation of a definition.
//
// # Concurrency and ownership
//
// A [Document] does not change and is safe for concurrent use. Definitions are not
// changed, and documents share no memory with them.
package openapi
