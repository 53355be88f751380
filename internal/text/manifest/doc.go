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
// A text in UTF-16 with a byte order mark is decoded, as by kubectl. A text is cut into documents
// by [document.Split]. Text after the value of a document is an error. A sequence of JSON objects
// has one document for each object. Other documents are YAML, but all documents of .json, .jsonl
// and .ndjson files are JSON.
//
// A list stands for its items. A list is an object of kind List, or an object with items whose kind
// ends in "List", unless IsKind says that it is a kind of its own. Items without a kind get the
// kind from the list, as in the answers of a server. Items of YAML become JSON. A list with
// duplicate keys is an error, because it is ambiguous.
//
// No document is dropped silently: it is an object, an error, or counted in [Reader.PassedOver].
//
// # Files
//
// A directory stands for the .yaml, .yml, .json, .jsonl and .ndjson files in it, in the order of
// their names. With Recursive, it also stands for the directories below. In directories the reader
// skips and counts
//
//   - hidden directories, symbolic links to directories, and the templates of Helm charts;
//   - FIFOs, sockets and devices;
//   - files named kustomization or values;
//   - files that a kustomization of the directory, or of a directory above, names as patches;
//   - files and documents without an object of Kubernetes.
//
// A file that cannot be read is an error. The other files are read.
//
// [ReadRegular] reads the text of one file, but not of a FIFO or device.
//
// A name from the caller may be a FIFO or a character device, as a shell makes for <(command). At
// most [MaxFileBytes] of it are read.
//
// # Concurrency and ownership
//
// A Reader may be used by one goroutine at a time. Another goroutine needs its own Reader, see
// [Reader.Separate]. An [Object] belongs to the caller. Its text shares memory with other objects
// and must not be changed.
package manifest
