// Package hostile compares crdkit with upstream on inputs that are made to take much
// time or memory: neither the processor time nor the allocated memory of crdkit may be
// above that of upstream. It has tests only. The inputs are the cases of
// internal/test/testkit/hostile that have a counterpart in upstream.
package hostile
