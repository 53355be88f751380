package patching

import "github.com/crdkit/crdkit"

// refusal shortens signatures.
type refusal = crdkit.Refusal
