// Package manifest reads the Kubernetes objects of files, directories and standard input.
//
//	r := manifest.NewReader(os.Stdin, true) // true: directories below, too
//	for obj := range r.Objects(ctx, "config/", "-") {
//		if obj.Err != nil { ... } // a file or document that cannot be read
//		use(obj.GroupVersionKind, obj.Text)
//	}
//	fmt.Fprint(os.Stderr, r.PassedOver())
//
// # Documents
//
// A text in UTF-16 with a byte order mark is decoded, as kubectl does. A text is cut into
// documents as [document.Split] does. Text after the value of a document is an error. A
// sequence of JSON objects counts as one document for each object. Every other document is
// YAML. In a file whose name ends in .json or .jsonl every document is JSON.
//
// An object of kind List, or of a kind that ends in "List" and has items, stands
// for its items, unless IsKind says that it is a kind of its own. Items without a
// kind get that of the list, as in the answers of a server. Items of YAML become
// JSON; a list with duplicate keys is an error, because it is ambiguous.
//
// No document is dropped silently: it is an object, an error, or counted in
// [Reader.PassedOver].
//
// # Files
//
// A directory stands for the .yaml, .yml, .json, .jsonl and .ndjson files in it, in
// the order of their names; with Recursive, also for the directories below.
// In directories the reader passes over, and counts: hidden directories, symbolic
// links to directories, FIFOs, sockets and devices, the templates of Helm charts,
// files named kustomization or values, the files that a kustomization of the directory or
// of one above it names as patches, and files and documents without an object of Kubernetes.
// A file that cannot be read is an error, and the others are read.
//
// [ReadRegular] reads one file without its objects, and no FIFO or device.
//
// A name from the caller may be a FIFO or a character device, as a shell makes for
// <(command). At most [MaxFileBytes] are read.
//
// # Concurrency and ownership
//
// A Reader may be used by one goroutine at a time, a separate one by another. An [Object]
// belongs to the caller, but its text shares memory with that of other objects and must not
// be changed.
package manifest
