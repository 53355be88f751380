// Package hostile compares crdkit with upstream on inputs that are made to take much
// time or memory: crdkit may take at most twice the processor time of upstream, and allocate
// at most twice its bytes. It has tests only. The inputs are the cases of
// internal/test/testkit/hostile that have a counterpart in upstream.
package hostile
