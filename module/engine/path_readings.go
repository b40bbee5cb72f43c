package engine

import (
	"bytes"
	"regexp"
	"strings"
)

// sessions matches the sessions that ASP.NET keeps in a path, and the next slash: /(S(x))/internal/a is /internal/a. Mono and
// ASP.NET 1 write 24 characters.
var sessions = regexp.MustCompile(`(?:/\((?:(?:[AFSafs]\([^()/]*\))+|[A-Za-z0-9]{24})\))+/`)

// PathReadings returns the readings of a path by servers that take a part of it for something else, by each combination of the
// steps that changes the path. The path has slashes only. resolve resolves its dot segments.
func PathReadings(path string, resolve func(path string) string) []string {
	steps := []func(path string) string{
		rooted,
		withoutPathParameters,
		withoutAuthority,
		func(path string) string { return withoutResolvedAuthority(path, resolve(path)) },
		func(path string) string { return sessions.ReplaceAllLiteralString(path, "/") },
		withoutController,
		pathInfo,
	}
	readings := []string{path}
	for _, step := range steps {
		for i, n := 0, len(readings); i < n; i++ {
			if next := step(readings[i]); next != readings[i] {
				readings = append(readings, next)
			}
		}
	}
	return readings[1:]
}

// isPathAmbiguous returns false only if a path has no PathReadings.
func isPathAmbiguous(path []byte) bool {
	return bytes.IndexByte(path, ';') >= 0 || bytes.IndexByte(path, '\\') >= 0 || bytes.Contains(path, []byte("//")) || IsRouted(path)
}

// rooted puts a slash in front of a path without one: Go's proxies pass GET http:internal/a on as GET internal/a, for which servers of
// Python return /internal/a, and Symfony adds the slash to a path in a header.
func rooted(path string) string {
	if isRooted([]byte(path)) {
		return path
	}
	return "/" + path
}

// isRooted reports whether a path has no other reading by rooted.
func isRooted(path []byte) bool {
	return len(path) == 0 || path[0] == '/' || len(path) == 1 && path[0] == '*'
}

// withoutPathParameters ends a path at its first semicolon, as find-my-way does, the router of restify and Fastify.
func withoutPathParameters(path string) string {
	path, _, _ = strings.Cut(path, ";")
	return path
}

// withoutAuthority removes the authority of a network-path reference (RFC 3986 4.2). PHP's parse_url, JDK's HttpServer and
// Node's new URL read //x:80/internal/a as /internal/a.
func withoutAuthority(path string) string {
	if !strings.HasPrefix(path, "//") {
		return path
	}
	bare := strings.TrimLeft(path, "/")
	slash := strings.IndexByte(bare, '/')
	if slash < 0 {
		return "/"
	}
	return bare[slash:]
}

// withoutResolvedAuthority is for proxies such as Envoy, which resolve dot segments and keep empty ones: /.//x/internal/a
// reaches the server as //x/internal/a.
func withoutResolvedAuthority(path, resolved string) string {
	if !strings.HasPrefix(resolved, "//") {
		return path
	}
	return withoutAuthority(resolved)
}

// withoutController removes the first front controller: applications below /app read /app/index.php/internal/a as /app/internal/a.
func withoutController(path string) string {
	end := controllerEnd([]byte(path))
	if end == 0 {
		return path
	}
	return path[:strings.LastIndexByte(path[:end], '/')] + path[end:]
}

// pathInfo returns what follows the first front controller, which reads /index.php/internal/a as /internal/a.
func pathInfo(path string) string { return path[controllerEnd([]byte(path)):] }

// IsRouted reports whether a path has no leading slash, has a front controller with path info, or may have a session of ASP.NET.
func IsRouted(path []byte) bool {
	return !isRooted(path) || controllerEnd(path) > 0 || bytes.IndexByte(path, '(') >= 0 && bytes.Contains(path, []byte("/("))
}

// A front controller is a script that serves all paths of a site. Other scripts do not count, because /less.php/ can be a folder.
var (
	controllers = []string{"index", "app", "app_dev", "main", "default", "dispatch", "front", "server"}
	// Scripts are the extensions of scripts, which servers run for /a.php/x too.
	Scripts = []string{
		"php", "php3", "php4", "php5", "php6", "php7", "php8", "phar", "phtml", "shtml", "cgi", "fcgi", "pl", "py", "rb",
		"cfm", "cfc", "asp", "aspx", "ashx", "asmx",
	}
)

var scriptSet, controllerSet = namesIn(Scripts), namesIn(controllers)

// Lengths of the longest of Scripts and controllers.
const longestScript, longestController = len("phtml"), len("dispatch")

func namesIn(list []string) map[string]bool {
	names := map[string]bool{}
	for _, name := range list {
		names[name] = true
	}
	return names
}

// controllerEnd returns the index of the slash behind the first front controller, or 0. It takes linear time, because it searches only
// the next few bytes for the slash.
func controllerEnd(path []byte) int {
	if !mayHavePathInfo(path) {
		return 0
	}
	for at := bytes.IndexByte(path, '.'); at >= 0; at = indexFrom(path, at, '.') {
		at++
		length := bytes.IndexByte(prefixOf(path[at:], longestScript+1), '/')
		if length > 0 && isScript(path[at:at+length]) && isController(path[:at-1]) {
			return at + length
		}
	}
	return 0
}

func isScript(extension []byte) bool {
	return len(extension) <= longestScript && scriptSet[lower(string(extension))]
}

// isController reports whether a path ends in the name of a front controller.
func isController(path []byte) bool {
	slash := bytes.LastIndexByte(path, '/')
	return slash >= 0 && len(path)-slash-1 <= longestController && controllerSet[lower(string(path[slash+1:]))]
}
