package format

import (
	"strings"

	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// A Func reports whether a string has a format. The Func is not nil if a function
// of this package returns it with true.
type Func func(string) bool

// Normalize returns the normalized name of a format, which is name without dashes.
func Normalize(name string) string { return strings.ReplaceAll(name, "-", "") }

// Lookup returns the check of a format of strings. It returns nil and false if
// Kubernetes 1.minor ignores a format of this name for strings.
func Lookup(name string, minor int) (Func, bool) {
	if !isKnown(Normalize(name), minor) {
		return nil, false
	}
	return Registered(name)
}

// Registered returns the check of a format of strings, whatever the version of
// Kubernetes. It returns nil and false if there is no such format.
func Registered(name string) (Func, bool) {
	f := check(Normalize(name))
	return f, f != nil
}

// check returns the check of the format with the given normalized name, or nil if
// there is no such format.
func check(name string) Func {
	switch name {
	case "bsonobjectid":
		return isObjectID
	case "byte":
		return isBase64
	case "cidr":
		return isCIDR
	case "creditcard":
		return isCreditCard
	case "date":
		return isDate
	case "datetime":
		return isDateTime
	case "duration":
		return strfmt.IsDuration
	case "email":
		return isEmail
	case "hexcolor":
		return isHexColor
	case "hostname":
		return isHostname
	case "ipv4":
		return isIPv4
	case "ipv6":
		return isIPv6
	case "isbn":
		return isISBN
	case "isbn10":
		return isISBN10
	case "isbn13":
		return isISBN13
	case "k8slongname":
		return isLongName
	case "k8sshortname":
		return isShortName
	case "mac":
		return isMAC
	case "password":
		return isPassword
	case "rgbcolor":
		return isRGBColor
	case "ssn":
		return isSSN
	case "uri":
		return isURI
	case "uuid":
		return isUUID
	case "uuid3":
		return isUUID3
	case "uuid4":
		return isUUID4
	case "uuid5":
		return isUUID5
	}
	return nil
}
