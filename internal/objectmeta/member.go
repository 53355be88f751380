package objectmeta

// A member is a kind of field of ObjectMeta.
type member uint8

const (
	memberUnknown    member = iota
	memberText              // name, uid and similar: a string
	memberGeneration        // an integer, 0 if absent
	memberGrace             // deletionGracePeriodSeconds: an integer, or absent
	memberTime              // a time
	memberStrings           // labels, annotations: a map of strings
	memberOwners            // ownerReferences
	memberFinalizers        // finalizers: a list of strings
	memberManaged           // managedFields
)

func memberOf(name string) member {
	switch name {
	case "name", "generateName", "namespace", "selfLink", "uid", "resourceVersion":
		return memberText
	case "generation":
		return memberGeneration
	case "deletionGracePeriodSeconds":
		return memberGrace
	case "creationTimestamp", "deletionTimestamp":
		return memberTime
	case "labels", "annotations":
		return memberStrings
	case "ownerReferences":
		return memberOwners
	case "finalizers":
		return memberFinalizers
	case "managedFields":
		return memberManaged
	default:
		return memberUnknown
	}
}

// omitted reports whether ObjectMeta omits a member with value v when it is
// written: null, or the empty value of its type.
func (m member) omitted(v any) bool {
	switch v := v.(type) {
	case nil:
		return m != memberUnknown
	case string:
		return m == memberText && v == ""
	case int64:
		return m == memberGeneration && v == 0
	case map[string]any:
		return m == memberStrings && len(v) == 0
	case []any:
		return (m == memberOwners || m == memberFinalizers || m == memberManaged) && len(v) == 0
	default:
		return false
	}
}
