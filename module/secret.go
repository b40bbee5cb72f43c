package guard

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
)

// processSecret stands in for an absent secret: other processes, and this one after a restart, have another.
var processSecret = func() []byte {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: it ends the process instead
	return secret
}()

// resolveSecret gives the bytes of the policy's secret, which may name an environment variable.
func resolveSecret(secret string) ([]byte, error) {
	if secret == "" {
		return processSecret, nil
	}
	value, err := fromEnvironment("secret", secret)
	return []byte(value), err
}

// fromEnvironment gives the value of a key that may name an environment variable.
func fromEnvironment(key, text string) (string, error) {
	name, isName := strings.CutPrefix(text, "${")
	if !isName || !strings.HasSuffix(name, "}") {
		return text, nil
	}
	name = strings.TrimSuffix(name, "}")
	value := os.Getenv(name)
	if value == "" {
		return "", fmt.Errorf("%s: the environment variable %s is not set", key, name)
	}
	return value, nil
}
