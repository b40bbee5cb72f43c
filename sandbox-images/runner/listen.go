package main

import "net"

// listen serves an address in the background.
func listen(address string, slots chan struct{}, handle func(net.Conn)) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	go serve(listener, slots, handle)
	return nil
}

// serve accepts connections until the listener is closed. At most as many connections as slots are handled at the same
// time. Further connections wait in the kernel's queue.
func serve(listener net.Listener, slots chan struct{}, handle func(net.Conn)) {
	for {
		slots <- struct{}{}
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { conn.Close(); <-slots }()
			handle(conn)
		}()
	}
}
