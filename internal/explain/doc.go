// Package explain prints what an OpenAPI document of version 3 says about a kind
// or one of its fields, as kubectl explain does.
//
// Every space and line is that of kubectl's plaintext output, odd ones included:
// people and scripts know it. What kubectl leaves out, such as a field without
// any schema, is left out here.
package explain
