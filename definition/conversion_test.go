package definition

import (
	"encoding/pem"
	"testing"
)

// TestCheckBundle: a CA bundle needs one certificate that can be parsed. The error is about
// the first block that is none.
func TestCheckBundle(t *testing.T) {
	block := func(typ, text string) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: typ, Bytes: []byte(text)}))
	}
	key, garbage := block("PRIVATE KEY", "key"), block("CERTIFICATE", "garbage")
	for _, tt := range []struct{ name, bundle, want string }{
		{"no PEM", "x", "unable to parse bytes as PEM block"},
		{"empty", "", "no valid certificate authority data seen"},
		{"a key", key, "no valid certificate authority data seen"},
		{"a certificate with headers", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Headers: map[string]string{"a": "b"}, Bytes: []byte("garbage")})), "no valid certificate authority data seen"},
		{"a key and more", key + "x", "unable to parse bytes as PEM block"},
		{"no certificate", garbage, "failed to parse certificate: x509: malformed certificate"},
		{"a key and no certificate", key + garbage, "failed to parse certificate: x509: malformed certificate"},
	} {
		if err := checkBundle([]byte(tt.bundle)); err == nil || err.Error() != "unable to load root certificates: "+tt.want {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
	}
}
