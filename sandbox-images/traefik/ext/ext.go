// Package ext replaces Traefik's closed extension package. Traefik's go.mod replaces the module path by a folder that
// is missing in the published source. The types are empty because the open edition has no extensions.
package ext

// HTTP is embedded in the dynamic HTTP configuration.
type HTTP struct{}

// Router is embedded in a router.
type Router struct{}

// RouterIng is embedded in the router of an Ingress annotation.
type RouterIng struct{}

// ToRouter returns the router that the annotation describes.
func (RouterIng) ToRouter() Router { return Router{} }
