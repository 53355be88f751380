package cel

// PlainOnly leaves all rules to cel-go. Results are the same without it, only
// faster; the option is there to test that.
func PlainOnly() Option {
	return compileOption(func(o *compileOptions) { o.Reference = true })
}
