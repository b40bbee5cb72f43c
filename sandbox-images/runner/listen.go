package main

import (
	"net"
	"net/http"
)

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

// serveHTTP serves an address in the background.
func serveHTTP(address string, handler http.Handler) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadTimeout: exchangeTimeout, MaxHeaderBytes: headBytes}
	go func() { _ = server.Serve(listener) }()
	return nil
}
