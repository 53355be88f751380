// Package openapi makes the OpenAPI documents that kube-apiserver publishes for
// CustomResourceDefinitions. Version 3 has the whole schemas; version 2 has less.
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
// For each served version, a document has
//
//   - the schemas of the kind and of its list, named by the reversed group, the version and the
//     kind (com.example.stable.v1.CronTab);
//   - the paths of its requests;
//   - the schemas of the Kubernetes types to which these refer.
//
// The schema of the kind is the definition's schema with apiVersion, kind and a reference to
// ObjectMeta. Embedded resources have these too. A schema with x-kubernetes-int-or-string lists its
// types in anyOf. Rules, list types, the other x-kubernetes extensions and selectable fields are
// included as declared. A schema that is not structural is left out: the kind is then an object
// without further description.
//
// Version 2 leaves out what kubectl before 1.27 cannot read: allOf, anyOf, oneOf and not; type,
// items, properties and required of nullable values; items and properties where unknown fields are
// preserved; and all defaults. If a kind preserves unknown fields at its root, it is an object
// without further description.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#publish-validation-schema.
//
// # Differences from Kubernetes
//
// As JSON, the documents equal the server's. Their fields are sorted by name.
//
//   - In version 2, the server also publishes its own APIs, and the title and version of its build.
//   - If two definitions claim one schema name or path, the server publishes a random one of them
//     in version 2. [V2] and [Merge] return an error, as the server does in version 3.
//   - The default kind of the list is the kind followed by List, as the server sets it on creation
//     of a definition.
//
// # Concurrency and ownership
//
// A [Document] does not change and is safe for concurrent use. Definitions are not
// changed, and documents share no memory with them.
package openapi
