package engine

// Values that are base64 as a whole, which applications decode before they open a file: ?f=L2V0Yy9wYXNzd2Q.

// shortestBase64 is the length of the shortest value that is decoded: fewer characters are too few for the name of a file.
const shortestBase64 = 6

// base64Values has the value of each character of both alphabets (RFC 4648 4 and 5), and notBase64Value for all others.
var base64Values = func() (values [256]byte) {
	for c := range values {
		values[c] = notBase64Value
	}
	for _, alphabet := range []string{stdAlphabet, urlAlphabet} {
		for i := 0; i < len(alphabet); i++ {
			values[alphabet[i]] = byte(i)
		}
	}
	return values
}()

const (
	notBase64Value = 0xFF
	base64Letters  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	stdAlphabet    = base64Letters + "+/"
	urlAlphabet    = base64Letters + "-_"
)

// base64Text returns the text of a value that is base64 as a whole, padded or not, where this text is printable ASCII. Most values
// end the search at one of their first bytes.
func (w *workspace) base64Text(value []byte) (text []byte, is64 bool) {
	code := value
	for i := 0; i < 2 && len(code) > 0 && code[len(code)-1] == '='; i++ {
		code = code[:len(code)-1]
	}
	if len(code) < shortestBase64 || len(code)%4 == 1 {
		return nil, false
	}
	start := len(w.scratch)
	bits, count := uint32(0), 0
	for _, c := range code {
		v := base64Values[c]
		if v == notBase64Value {
			w.scratch = w.scratch[:start]
			return nil, false
		}
		bits, count = bits<<6|uint32(v), count+6
		if count < 8 {
			continue
		}
		count -= 8
		c := byte(bits >> count)
		if c < 0x20 || c > 0x7e {
			w.scratch = w.scratch[:start]
			return nil, false
		}
		w.scratch = append(w.scratch, c)
	}
	return w.since(start), true
}
