package document

// readFlow reads a value in braces or brackets, or a scalar within them, on one line. The
// scalars are plain or quoted names, integers, booleans and null.
func (r *yamlTokenizer) readFlow() bool {
	switch r.text[r.i] {
	case '{':
		return r.readFlowParts(Object, '}')
	case '[':
		return r.readFlowParts(List, ']')
	}
	return r.readFlowScalar(false)
}

// readFlowParts reads an object or a list in brackets, up to the closing one.
func (r *yamlTokenizer) readFlowParts(kind Kind, closing byte) bool {
	if r.depth++; r.depth > MaxDepth {
		return false
	}
	at, n := r.t.open(kind, r.i), 0
	r.i++
	r.skipSpaces()
	for r.text[r.i] != closing {
		if kind == Object && !r.readFlowKey() || !r.readFlow() {
			return false
		}
		n++
		r.skipSpaces()
		if r.text[r.i] == ',' {
			r.i++
			r.skipSpaces()
		} else if r.text[r.i] != closing {
			return false
		}
	}
	r.i++
	r.t.close(at, n)
	r.depth--
	return true
}

// readFlowKey reads a key, its colon, and the space after it.
func (r *yamlTokenizer) readFlowKey() bool {
	if !r.readFlowScalar(true) || r.text[r.i] != ':' || r.text[r.i+1] != ' ' {
		return false
	}
	r.i++
	r.skipSpaces()
	return true
}

// readFlowScalar reads a scalar within braces or brackets, or a key, which is a string.
func (r *yamlTokenizer) readFlowScalar(key bool) bool {
	at := r.i
	quote := r.text[at]
	quoted := quote == '"' || quote == '\''
	if quoted {
		r.i++
	}
	start := r.i
	for isKeyByte(r.text[r.i]) {
		r.i++
	}
	word := r.text[start:r.i]
	switch {
	case quoted && r.text[r.i] == quote:
		r.t.add(newToken(String, at, start, r.i))
		r.i++
		return len(word) <= longestKey || !key
	case quoted, word == "":
		return false
	case isLetter(word[0]) && !isBoolOrNull(word):
		r.t.add(newToken(String, at, start, r.i))
		return len(word) <= longestKey || !key
	case key:
		return false
	}
	return (isLetter(word[0]) || isInteger(word)) && r.addBare(at, word)
}
