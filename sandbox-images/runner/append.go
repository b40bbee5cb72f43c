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

// openAppends opens the listeners. Each listener reads one connection after another, so that lines do not mix.
func openAppends(appends []Append) error {
	for _, one := range appends {
		file, err := os.OpenFile(one.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		err = listen(one.Listen, make(chan struct{}, 1), func(conn net.Conn) {
			_ = conn.SetDeadline(time.Now().Add(exchangeTimeout))
			_, _ = io.Copy(file, io.LimitReader(conn, appendedBytes))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
