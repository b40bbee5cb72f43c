package main

import "net"

func listen(address string, slots chan struct{}, handle func(net.Conn)) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	go serve(listener, slots, handle)
	return nil
}

// serve handles at most as many connections at the same time as there are slots. Others wait in the kernel's queue.
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
