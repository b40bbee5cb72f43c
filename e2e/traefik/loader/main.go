// Command loader reads dynamic configuration with Traefik's packages: files, and maps of labels (*.labels.json). It
// prints the configuration of each plugin middleware.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"strings"
	"text/template"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/config/label"
	"github.com/traefik/traefik/v3/pkg/provider/file"
)

type result struct {
	// Plugins is keyed by the name of the middleware.
	Plugins map[string]map[string]dynamic.PluginConf `json:"plugins,omitempty"`
	Error   string                                   `json:"error,omitempty"`
}

func load(name string) (*dynamic.Configuration, error) {
	if !strings.HasSuffix(name, ".labels.json") {
		provider := file.Provider{Filename: name}
		return provider.CreateConfiguration(context.Background(), name, template.FuncMap{}, false)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var labels map[string]string
	if err := json.Unmarshal(text, &labels); err != nil {
		return nil, err
	}
	return label.DecodeConfiguration(labels)
}

func read(name string) result {
	configuration, err := load(name)
	if err != nil {
		return result{Error: err.Error()}
	}
	plugins := map[string]map[string]dynamic.PluginConf{}
	for middleware, fields := range configuration.HTTP.Middlewares {
		plugins[middleware] = fields.Plugin
	}
	return result{Plugins: plugins}
}

func main() {
	results := []result{}
	for _, name := range os.Args[1:] {
		results = append(results, read(name))
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		log.Fatal(err)
	}
}
