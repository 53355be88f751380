package conversion

import (
	"context"
	"errors"
	"net"
	"net/url"
	"testing"
)

// TestEnded checks the error of a request whose connection is closed: with a context that
// has ended it is the context's, and any other error stays as it is.
func TestEnded(t *testing.T) {
	live := t.Context()
	over, cancel := context.WithCancel(live)
	cancel()
	closed := &net.OpError{Op: "read", Net: "tcp", Err: net.ErrClosed}
	refused := errors.New("refused")
	for _, tt := range []struct {
		name string
		ctx  context.Context
		err  error
		want string
	}{
		{"closed at the end of the context", over, post(closed), `Post "https://a": context canceled`},
		{"closed before the end of the context", live, post(closed), `Post "https://a": read tcp: use of closed network connection`},
		{"another error at the end of the context", over, post(refused), `Post "https://a": refused`},
		{"not an error of a request", over, closed, "read tcp: use of closed network connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ended(tt.ctx, tt.err); got.Error() != tt.want {
				t.Errorf("ended = %v, want %s", got, tt.want)
			}
		})
	}
	if err := ended(over, nil); err != nil {
		t.Errorf("ended = %v for a request without an error", err)
	}
}

func post(err error) error { return &url.Error{Op: "Post", URL: "https://a", Err: err} }
