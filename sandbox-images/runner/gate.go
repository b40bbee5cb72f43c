package main

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// openGate listens and relays connections to the proxy. The gate is also in the open bridge, because a container that
// is only in a closed network cannot publish ports.
func openGate(forwards []Forward) error {
	slots := make(chan struct{}, connections)
	for _, forward := range forwards {
		if err := listen(forward.Listen, slots, func(client net.Conn) { relay(client, forward.To) }); err != nil {
			return err
		}
	}
	return nil
}

// relay supports half-closed connections, because probes inspect how a proxy ends its response.
func relay(client net.Conn, to string) {
	server, err := dial(context.Background(), to)
	if err != nil {
		return
	}
	defer server.Close()
	var both sync.WaitGroup
	both.Add(2)
	go func() { defer both.Done(); pump(server, client) }()
	go func() { defer both.Done(); pump(client, server) }()
	both.Wait()
}

func pump(to, from net.Conn) {
	buffer := make([]byte, 16<<10)
	for {
		_ = from.SetReadDeadline(time.Now().Add(forwardIdle))
		count, err := from.Read(buffer)
		if count > 0 {
			_ = to.SetWriteDeadline(time.Now().Add(forwardIdle))
			if _, failed := to.Write(buffer[:count]); failed != nil {
				from.Close()
				return
			}
		}
		if err == io.EOF {
			_ = to.(*net.TCPConn).CloseWrite()
			return
		}
		if err != nil {
			to.Close()
			return
		}
	}
}
