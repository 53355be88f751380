package cellib

import (
	"net/url"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

func urls() cel.EnvOption {
	t := apiservercel.URLType
	part := func(name, id string, f func(*url.URL) string) cel.EnvOption {
		return define(name, declare(id, cel.StringType, t).method(text(f)))
	}
	query := cel.MapType(cel.StringType, cel.ListType(cel.StringType))
	return newLibrary("kubernetes.urls",
		define("url", ofString("string_to_url", t)),
		define("isURL", ofString("is_url_string", cel.BoolType)),
		part("getScheme", "url_get_scheme", func(u *url.URL) string { return u.Scheme }),
		part("getHost", "url_get_host", func(u *url.URL) string { return u.Host }),
		part("getHostname", "url_get_hostname", (*url.URL).Hostname),
		part("getPort", "url_get_port", (*url.URL).Port),
		part("getEscapedPath", "url_get_escaped_path", (*url.URL).EscapedPath),
		define("getQuery", declare("url_get_query", query, t).method(unary(queryOf))),
	)
}

// isURL reports whether s is an absolute URL or an absolute path.
func isURL(s string) bool {
	_, err := url.ParseRequestURI(s)
	return err == nil
}

// toURL accepts the strings that isURL accepts. Text that may be a fragment, or a host
// after two slashes, is parsed again as a URL, because a request URI has neither.
func toURL(s string) ref.Val {
	u, err := url.ParseRequestURI(s)
	if err == nil && (u.Scheme == "" || strings.Contains(s, "#")) {
		u, err = url.Parse(s)
	}
	if err == nil {
		return apiservercel.URL{URL: u}
	}
	return types.NewErr("URL parse error during conversion from string: %v", err)
}

func queryOf(u *url.URL) ref.Val {
	query := make(map[ref.Val]ref.Val)
	for name, values := range u.Query() {
		query[types.String(name)] = texts(values)
	}
	return types.NewRefValMap(types.DefaultTypeAdapter, query)
}
