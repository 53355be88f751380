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

// Names returns the formats that Kubernetes 1.minor honours in a schema of the
// declared type, sorted, in the spelling of the Kubernetes documentation. The
// caller owns the result. The result is nil for types without formats.
func Names(typ string, minor int) []string {
	switch typ {
	case "", "string":
	case "integer":
		return []string{"int32", "int64"}
	case "number":
		return []string{"double", "float"}
	default:
		return nil
	}
	names := []string{
		"bsonobjectid", "byte", "cidr", "creditcard", "date", "date-time",
		"duration", "email", "hexcolor", "hostname", "ipv4", "ipv6", "isbn",
		"isbn10", "isbn13",
	}
	if minor >= namesSince {
		names = append(names, "k8s-long-name", "k8s-short-name")
	}
	return append(names,
		"mac", "password", "rgbcolor", "ssn", "uri", "uuid", "uuid3", "uuid4", "uuid5")
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
