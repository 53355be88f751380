package format

import "github.com/crdkit/crdkit/internal/kubeversion"

// DefaultMinor is the minor version of the formats that a server of version
// [kubeversion.Newest] honours.
const DefaultMinor = int(kubeversion.Newest) - 1

// namesSince is the first minor version that knows k8s-long-name and k8s-short-name.
const namesSince = 34

// Supported reports whether Kubernetes 1.minor honours a format in a schema of
// the declared type. Kubernetes ignores the formats that it does not honour. The
// type is "" if the schema declares no type or more than one, as
// x-kubernetes-int-or-string does. The empty format is not supported.
func Supported(typ, format string, minor int) bool {
	switch typ {
	case "", "string":
		return isKnown(Normalize(format), minor)
	case "integer":
		return format == "int32" || format == "int64"
	case "number":
		return format == "float" || format == "double"
	}
	return false
}

// isKnown reports whether Kubernetes 1.minor knows a format of strings with the
// given normalized name.
func isKnown(name string, minor int) bool {
	switch name {
	case "k8slongname", "k8sshortname":
		return minor >= namesSince
	}
	return check(name) != nil
}
