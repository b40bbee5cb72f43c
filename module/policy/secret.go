package policy

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// processSecret replaces an absent secret. Each process has a different one.
var processSecret = func() []byte {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: it would end the process instead
	return secret
}()

// SecretBytes returns the secret of a policy, or the value of the environment variable that the secret names. It
// returns processSecret for an empty secret.
func SecretBytes(secret string) ([]byte, error) {
	if secret == "" {
		return processSecret, nil
	}
	value, err := FromEnvironment("secret", secret)
	if err != nil {
		return nil, err
	}
	// The bounds also apply to the variable, because a client that guesses the secret can forge passes.
	if _, message := fieldsByKey["secret"].checkBounds(value); message != "" {
		return nil, fmt.Errorf("secret: %s in the environment variable", message)
	}
	return []byte(value), nil
}

// FromEnvironment returns the value of a key whose text may be ${NAME}. It fails if that variable is empty or not set.
func FromEnvironment(key, text string) (string, error) {
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

const hiddenText = "(hidden)"

// HideSecrets returns the JSON of a valid policy with hidden secrets. It keeps names of environment variables.
func HideSecrets(text []byte) (json.RawMessage, error) {
	object := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&object); err != nil {
		return nil, err
	}
	hideIn(object, "")
	return json.Marshal(object)
}

func hideIn(object map[string]any, path string) {
	for key, value := range object {
		switch value := value.(type) {
		case map[string]any:
			hideIn(value, path+key+".")
		case string:
			if secretKeys[path+key] && !environment.MatchString(value) {
				object[key] = hiddenText
			}
		}
	}
}
