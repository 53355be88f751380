package conversion

import (
	"strings"
	"unicode/utf8"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// Pieces decode an object in pieces, between which they look at the context. The
// scan has checked the syntax and knows the ends of large values. Package jsonscan
// decodes small values; what it declines, the server's decoder reads.
type pieces struct {
	scan *scan
	text string // of the object, so that the object does not keep the whole response
	base int    // the start of text in the text of the scan
	seen int    // where the decoder last looked at the context
}

// decodePieces returns the value of a span.
func decodePieces(s *scan, at span) (any, error) {
	p := &pieces{scan: s, text: string(s.text[at.start:at.end]), base: at.start}
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	v, _, err := p.readValue(0)
	return v, err
}

func (p *pieces) readValue(i int) (any, int, error) {
	if i-p.seen >= pieceBytes {
		p.seen = i
		if err := p.scan.ctx.Err(); err != nil {
			return nil, 0, err
		}
	}
	if _, ok := p.scan.large[p.base+i]; !ok {
		return p.readSmall(i)
	}
	if p.text[i] == '{' {
		return p.object(jsonscan.Space(p.text, i+1))
	}
	return p.list(jsonscan.Space(p.text, i+1))
}

func (p *pieces) readSmall(i int) (any, int, error) {
	if v, end := jsonscan.Value(p.text, i, nil); end >= 0 {
		return v, end, nil
	}
	s := scan{ctx: p.scan.ctx, text: p.scan.text, most: p.scan.most, seen: p.base + i, large: map[int]int{}}
	end := s.skipValue(p.base+i, 0)
	if s.err != nil {
		return nil, 0, s.err
	}
	end -= p.base
	if p.text[i] == '"' {
		v, err := p.string(p.text[i+1 : end-1])
		return v, end, err
	}
	var v any
	err := utiljson.Unmarshal([]byte(p.text[i:end]), &v)
	return v, end, err
}

// string returns the string that stands between quotes.
func (p *pieces) string(s string) (string, error) {
	var out strings.Builder
	for {
		if err := p.scan.ctx.Err(); err != nil {
			return "", err
		}
		n := pieceOf(s)
		var part string
		if err := utiljson.Unmarshal([]byte(`"`+s[:n]+`"`), &part); err != nil {
			return "", err
		}
		out.WriteString(part)
		if s = s[n:]; s == "" {
			return out.String(), nil
		}
	}
}

// pieceOf returns the length of the first piece of a string. A piece does not end within
// a character, an escape, or a surrogate pair of two escapes.
func pieceOf(s string) int {
	high := false // the last character is the first escape of a pair, if the second follows
	for i := 0; i < len(s); {
		second := s[i] == '\\' && s[i+1] == 'u' && s[i+2]|0x20 == 'd' && s[i+3]|0x20 >= 'c'
		if i >= pieceBytes && !(high && second) && (utf8.RuneStart(s[i]) || i >= pieceBytes+utf8.UTFMax) {
			return i
		}
		high = false
		switch {
		case s[i] != '\\':
			i++
		case s[i+1] != 'u':
			i += 2
		default:
			high = s[i+2]|0x20 == 'd' && !second && s[i+3] >= '8'
			i += 6
		}
	}
	return len(s)
}

// object reads the members of a large object, of which a later one wins, from the
// first at i.
func (p *pieces) object(i int) (any, int, error) {
	out := map[string]any{}
	for more := true; more; {
		key, after, err := p.readSmall(i)
		if err != nil {
			return nil, 0, err
		}
		name, _ := key.(string)
		i = jsonscan.Space(p.text, jsonscan.Space(p.text, after)+1) // after the colon
		v, end, err := p.readValue(i)
		if err != nil {
			return nil, 0, err
		}
		out[name] = v
		i, more = jsonscan.Next(p.text, end, '}')
	}
	return out, i, nil
}

// list reads the elements of a large list from the first at i.
func (p *pieces) list(i int) (any, int, error) {
	out := []any{}
	for more := true; more; {
		v, end, err := p.readValue(i)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, v)
		i, more = jsonscan.Next(p.text, end, ']')
	}
	return out, i, nil
}
