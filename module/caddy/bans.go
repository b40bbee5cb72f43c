package guard

import (
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/request-guard/guard/background"
	"github.com/request-guard/guard/banlist"
	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

// banLists has the ban lists by path.
var banLists = caddy.NewUsagePool()

// sharedBans is a ban list that a goroutine keeps current. A nil *sharedBans has no table.
type sharedBans struct {
	list    *banlist.List
	path    string
	stopped chan struct{}
}

func (b *sharedBans) Destruct() error {
	close(b.stopped)
	return nil
}

func (b *sharedBans) table() *banlist.Table {
	if b == nil {
		return nil
	}
	return b.list.Table()
}

// follow looks at the file until Destruct.
func (b *sharedBans) follow() {
	ticker := time.NewTicker(limits.BanListLookSeconds * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			b.list.Look()
		case <-b.stopped:
			return
		}
	}
}

// acquireBans returns the ban list of the policy, or nil if it has none. releaseBans releases it.
func acquireBans(p *policy.Policy, logger *zap.Logger) (*sharedBans, error) {
	if p.BanList == nil || !p.Enabled {
		return nil, nil
	}
	path := p.BanList.File
	value, _, err := banLists.LoadOrNew(path, func() (caddy.Destructor, error) {
		b := &sharedBans{path: path, stopped: make(chan struct{})}
		b.list = banlist.Open(path, banlist.Bytewise, func(message string) { logger.Error(message) })
		background.Go(b.follow)
		return b, nil
	})
	if err != nil {
		return nil, err
	}
	return value.(*sharedBans), nil
}

func releaseBans(b *sharedBans) {
	if b != nil {
		_, _ = banLists.Delete(b.path) // Destruct returns no error
	}
}
