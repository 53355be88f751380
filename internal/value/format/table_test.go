package format

import "strings"

// formatTests serves the tests, the fuzz targets and the benchmarks. The strings
// in common are valid; a scan of them must not allocate.
var formatTests = []struct {
	name    string
	common  []string
	valid   []string
	invalid []string
}{{
	name:    "bsonobjectid",
	common:  []string{"507f1f77bcf86cd799439011", "507F1F77BCF86CD799439011"},
	invalid: []string{"", "507f1f77bcf86cd79943901", "507f1f77bcf86cd7994390111", "507f1f77bcf86cd79943901g", "507f1f77bcf86cd7994390112a"},
}, {
	name:    "byte",
	common:  []string{"YQ==", "YWI=", "YWJj", "AAAAAAAA", "+/+/"},
	valid:   []string{"YR==", "YWK="},
	invalid: []string{"", "=", "====", "Y===", "YQ=", "YQ", "YQ==YQ==", "Y=Q=", "YW-_", "YWJj\n", " YWJj", "YWJé"},
}, {
	name:    "cidr",
	common:  []string{"10.0.0.0/8", "192.168.1.1/32", "0.0.0.0/0", "2001:db8::/32", "::/0", "::1/128"},
	valid:   []string{"010.000.0.00000001/08", "10.0.0.0/0000032", "::ffff:1.2.3.4/96", "::ffff:01.2.3.4/96", "00001::/1"},
	invalid: []string{"", "/", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8", "::/129", "fe80::1%eth0/64", "1.2.3.4.5/8", "10.0.0.0/8 ", "256.0.0.0/8"},
}, {
	name:    "creditcard",
	common:  []string{"4220855426222389", "4220 8554 2622 2389", "5139288802098206", "374953669708156", "6011464355444102", "3548209662790989"},
	valid:   []string{"4-2-2-0855426222389", "x4220855426222389é", "4222222222222", "30569309025904", "38520000023237", "36050234196908"},
	invalid: []string{"", "credit card", "4220855426213389", "30190239451016", "6521674451993089", "2204151414444676", "624356436327468104", "42208554262223890", "0000000000000000"},
}, {
	name:   "date",
	common: []string{"2006-01-02", "2024-02-29", "2000-02-29", "1999-12-31", "0000-02-29", "9999-12-31", "2023-04-30"},
	invalid: []string{"", "2023-02-29", "1900-02-29", "2023-04-31", "2023-13-01", "2023-00-01", "2023-01-00", "2023-01-32", "2023-1-01", "2023-01-1",
		"23-01-01", "12023-01-01", "2023/01/01", "2023-01-01 ", " 2023-01-01", "-023-01-01", "+023-01-01", "202a-01-01", "2023-0a-01", "2023-01-0a", "2023-01-01T00:00:00Z", "２023-01-01"},
}, {
	name:   "date-time",
	common: []string{"2014-12-15T19:30:20.000Z", "2014-12-15T19:30:20Z", "2014-12-15t19:30:20z", "2014-12-15T19:30:20+01:00", "2014-12-15T19:30:20.123456789-12:30"},
	valid: []string{"2014-12-15T23:59:59+99:99", "2014-12-15T00:00:00,5Z", "2014-12-15T00:00:00+5+01:00", "2014-12-15T00:00:00-1200+01:00", "2014-12-15T00:00:00ztrailing",
		"2014-12-15T00:00:00Zt\xff", "2014-12-15T00:00:00é5Z", "2014-12-15T00:00:00\xff5Z", "2014-12-15T00:00:00ZTK"},
	invalid: []string{"", "t", "tttt", "2014-12-15", "2014-12-15 19:30:20Z", "2014-12-15T24:00:00Z", "2014-12-15T23:60:00Z", "2014-12-15T23:59:60Z", "2014-12-15T19:30:20",
		"2014-12-15T19:30Z", "2014-12-15T19:30:20.Z", "2014-12-15T19:30:20\n5Z", "2014-12-15T19:30:20.5", "2014-12-15T19:30:20+0100", "2014-12-15T19:30:20+01:0", "2014-02-30T19:30:20Z",
		"2014-12-15T19:30:20ZZ", "2014-12-15T19:30:20Z\n", "T19:30:20Z", "2014-12-15T1:30:20Z", "2014-12-15TZ", "2014-12-15T19:30:20.5é"},
}, {
	name:    "duration",
	common:  []string{"22ns", "1h30m", "-1.5h", "0", "100ms", "1µs", "1μs"},
	valid:   []string{"3 days", "1 week", "2 hr", "5 hourglasses", "10 S", "1 d 2 x", "x 1 weekly y", "1 microseconds", "1 dayz", "1H", "1 wk", "12m34"},
	invalid: []string{"", "x", "1", "1 x", "days 3", "99999999999999999999 days", "1 wkx", "2 hrs", "--", "1 é", "１ day"},
}, {
	name:   "email",
	common: []string{"a@b", "john.doe@example.com", "john+tag@sub-domain.example.com", "a_b@c_d"},
	valid: []string{"John <john@example.com>", " a@b ", `"a b"@c`, "a@b (comment)", "a@[1.2.3.4]", "é@é.com", "a!b@c", "<a@b>", "group:a@b;",
		"a@ b", `"a@b"@c`},
	invalid: []string{"", "a", "@", "a@", "@b", "a.@b", ".a@b", "a..b@c", "a@b.", "a@.b", "a@b..c", "a@b@c", "a b@c", "a@b, c@d", "a@b\xff", "a,b@c"},
}, {
	name:    "hexcolor",
	common:  []string{"#FFFFFF", "ffffff", "#f00", "CCccCC", "123"},
	invalid: []string{"", "#", "#ff", "#ffff", "fff0", "#fffff", "#fffffff", "##fff", "#ff12FG", "#fff\n"},
}, {
	name:   "hostname",
	common: []string{"example.com", "foo.bar-baz.example.com", "localhost", "1.2.ab", "x", "a.b--c.museum"},
	valid: []string{"a-b", "a-", "a$", "~", "a.com", "日本.com", "日本.日本", "é", "a-é", "a\xff", strings.Repeat("a", 63), strings.Repeat("a.", 100) + "com",
		"a-" + strings.Repeat("b", 61), strings.Repeat("a", 63) + ".com", "a." + strings.Repeat("b", 63), strings.Repeat("a.", 126) + "com", "☃.net"},
	invalid: []string{"", "-", "-a", "ab-c", "foo-bar", ".", "a.", ".com", "a..com", "a.b", "a.1", "a.b1", "a.c-m", "-a.com", "a-.com", "a_b", "a_b.com", "a b",
		strings.Repeat("a", 64), "a-" + strings.Repeat("b", 62), strings.Repeat("a", 64) + ".com", "a." + strings.Repeat("b", 64), strings.Repeat("a.", 127) + "com",
		"192.168.0.1", "a.com\n", "é" + strings.Repeat("é", 40), "a.☃☃", "a.\xff\xff", "a.com."},
}, {
	name:    "ipv4",
	common:  []string{"10.0.0.1", "255.255.255.255", "0.0.0.0"},
	valid:   []string{"010.00.000.0000001", "::ffff:1.2.3.4", "::1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "::ffff:01.2.3.4", "1::2:1.2.3.4", "00000::1.2.3.4"},
	invalid: []string{"", ".", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.-4", "1.2.3.4 ", "::1", "1.2.3.4:80", "::1.2.3.256", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:1.2.3.4", "0x1.2.3.4", "1..2.3", "::1.2.3", "1.2.3.4::", "16777216.1.1.1"},
}, {
	name:    "ipv6",
	common:  []string{"::", "::1", "2001:db8::1", "fe80::1:2:3:4", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "FE80::A"},
	valid:   []string{"1::", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8"},
	invalid: []string{"", ":", ":::", "1.2.3.4", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "00001::", "fe80::1%eth0", "::ffff:01.2.3.4", "::g", "[::1]", "1:2:3:4:5:6:7:8::", "::1 ", "1:2:3:4:5:6:7:", ":1:2:3:4:5:6:7"},
}, {
	name:    "isbn",
	common:  []string{"0321751043", "978-0321751041", "3 401 01319 X", "9784873113685"},
	valid:   []string{"-0\t3\n2\f1\r751043-", "978 3401013190", "0 0 0 0 0 0 0 0 0 0"},
	invalid: []string{"", "foo", "3423214121", "978-3836221190", "X321751043", "3 401 01319 x", "97804873113685", "\v0321751043", "é0321751043", "340101319"},
}, {
	name:    "isbn10",
	common:  []string{"3836221195", "1-61729-085-8", "3 423 21412 0", "3 401 01319 X"},
	invalid: []string{"", "foo", "3423214121", "978-3836221191", "3-423-21412-1", "12345678901", "34010X319X"},
}, {
	name:    "isbn13",
	common:  []string{"9784873113685", "978-4-87311-368-5", "978 3401013190", "978-3-8362-2119-1"},
	invalid: []string{"", "foo", "3-8362-2119-5", "01234567890ab", "978 3 8362 2119 0", "97848731136855", "978487311368X"},
}, {
	name:    "k8s-long-name",
	common:  []string{"a", "example.com", "a-b.c-d.e", "1.2.3", strings.Repeat("a", 253), strings.Repeat("a.", 126) + "a"},
	invalid: []string{"", ".", "a.", ".a", "a..b", "-a", "a-", "a.-b", "a-.b", "A", "a_b", "a\n", "é", strings.Repeat("a", 254), strings.Repeat("a.", 126) + "aa"},
}, {
	name:    "k8s-short-name",
	common:  []string{"a", "0", "a-b", "a--b", strings.Repeat("a", 63)},
	invalid: []string{"", "-", "-a", "a-", "a.b", "A", "a_b", "a\n", "é", strings.Repeat("a", 64)},
}, {
	name:    "mac",
	common:  []string{"00:00:5e:00:53:01", "00-00-5E-00-53-01"},
	valid:   []string{"02:00:5e:10:00:00:00:01", "0000.5e00.5301", "0200.5e10.0000.0001", "00:00:00:00:fe:80:00:00:00:00:00:00:02:00:5e:10:00:00:00:01"},
	invalid: []string{"", "00:00:5e:00:53", "00:00:5e:00:53-01", "00-00:5e-00-53-01", "00:00:5e:00:53:0g", "00.00.5e.00.53.01", "00:00:5e:00:53:01:", "0000:5e00:5301", "00:00:5e:00:53:1", "000:0:5e:00:53:01"},
}, {
	name:   "password",
	common: []string{"", "x", "\xff"},
}, {
	name:    "rgbcolor",
	common:  []string{"rgb(0,31,255)", "rgb( 0 , 31 , 255 )", "rgb(100,100,100)"},
	valid:   []string{"rgb(\t0\n,\f31\r,255)"},
	invalid: []string{"", "rgb", "rgb(", "rgb()", "rgb(0,31)", "rgb(0,31,255", "rgb(0,31,256)", "rgb(00,31,255)", "rgb(01,31,255)", "rgb(0.6,31,255)", "rgba(0,31,255)", "rgb (0,31,255)", "RGB(0,31,255)", "rgb(0,31,255,1)", "rgb(0,31,255) ", "rgb(-1,2,3)", "rgb(1 1,2,3)", "rgb(\v1,2,3)", "0,31,255)"},
}, {
	name:    "ssn",
	common:  []string{"123-45-6789", "123 45 6789", "123-45 6789"},
	invalid: []string{"", "123456789", "123-456789", "12345-6789", "123-45-678", "123_45_6789", "123-45-67890", "12-345-6789", "abc-de-fghi"},
}, {
	name: "uri",
	common: []string{"https://example.com", "http://example.com:8080/a/b_c~d-e.f", "https://example.com/?a=b&c=d", "/abs/path", "https://10.0.0.1:443", "https://example.com:",
		"https://example.com?x=y"},
	valid: []string{"*", "mailto:a@b", "http://", "http:///path", "https://user:pw@example.com", "https://[::1]:80/", "https://example.com/%20", "/a?%zz", "//", "//x", "a:b", "https://exämple.com",
		"https://example.com/#frag", "https://example.com/a b", "x+y-z.1:opaque", "https://example.com/a:b", "urn:a:b", "https://a_b/", "https://example.com?"},
	invalid: []string{"", "example.com", "./a", "a/b", "#frag", "?q", ":a", "1http://x", "https://example.com:x", "https://exa mple.com", "https://example.com/%zz", "https://[::1", "https://[::1]x", "https://example.com/\x7f", "https://a/\n", "https://a?\n", "https://%zz/"},
}, {
	name:    "uuid",
	common:  []string{"a8098c1a-f86e-11da-bd1a-00112444be1e", "A8098C1A-F86E-11DA-BD1A-00112444BE1E", "a8098c1af86e11dabd1a00112444be1e", "a8098c1af86e-11dabd1a-00112444be1e"},
	invalid: []string{"", "-", "a8098c1a--f86e-11da-bd1a-00112444be1", "-a8098c1af86e11dabd1a00112444be1e", "a8098c1af86e11dabd1a00112444be1e-", "a8098c1af86e11dabd1a0011-2444be1e", "a809-8c1af86e11dabd1a00112444be1e", "a8098c1af86e11dabd1a00112444be1", "a8098c1af86e11dabd1a00112444be1ee", "g8098c1a-f86e-11da-bd1a-00112444be1e", "a8098c1a-f86e-11da-bd1a-00112444be1e\n"},
}, {
	name:    "uuid3",
	common:  []string{"bcd02e22-68f0-3046-a512-327cca9def8f", "BCD02E2268F03046A512327CCA9DEF8F"},
	valid:   []string{"bcd02e22-68f0-3046-0512-327cca9def8f"},
	invalid: []string{"", "bcd02e22-68f0-4046-a512-327cca9def8f", "bcd02e2268f0f046a512327cca9def8f"},
}, {
	name:    "uuid4",
	common:  []string{"025b0d74-00a2-4048-bf57-227c5111bb34", "025b0d74-00a2-4048-8f57-227c5111bb34", "025B0D7400A24048AF57227C5111BB34"},
	invalid: []string{"", "025b0d74-00a2-5048-bf57-227c5111bb34", "025b0d74-00a2-4048-cf57-227c5111bb34", "025b0d74-00a2-4048-7f57-227c5111bb34", "025b0d74-00a2-4048-\x01f57-227c5111bb34"},
}, {
	name:    "uuid5",
	common:  []string{"886313e1-3b8a-5372-9b90-0c9aee199e5d", "886313E13B8A5372BB900C9AEE199E5D"},
	invalid: []string{"", "886313e1-3b8a-4372-9b90-0c9aee199e5d", "886313e1-3b8a-5372-7b90-0c9aee199e5d", "886313e1-3b8a-5372-!b90-0c9aee199e5d"},
}}
