package main

import (
	"io"
	"net"
	"os"
	"time"
)

// Append is a listener that appends the bytes of its connections to a file, as a gateway writes its events.
type Append struct {
	Listen string `json:"listen"`
	File   string `json:"file"`
}

// openAppends creates the files and listens before it returns.
func openAppends(appends []Append) error {
	for _, one := range appends {
		file, err := os.OpenFile(one.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		listener, err := net.Listen("tcp", one.Listen)
		if err != nil {
			return err
		}
		go appendFrom(listener, file)
	}
	return nil
}

// appendFrom reads one connection after another, so that lines do not mix.
func appendFrom(listener net.Listener, file *os.File) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_ = conn.SetDeadline(time.Now().Add(exchangeTimeout))
		_, _ = io.Copy(file, io.LimitReader(conn, appendedBytes))
		conn.Close()
	}
}
