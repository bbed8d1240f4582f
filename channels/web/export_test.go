package web

import (
	"context"
	"net"

	"steady/core"
)

// Serve lets tests bring a listener of their own, such as one in memory, where time can be simulated.
func (c *Channel) Serve(ctx context.Context, ln net.Listener, accept core.Accept) error {
	return c.serve(ctx, ln, accept)
}
