package respond

import (
	"net/http"
	"strings"
)

// bodyMode responds with the body of the policy, or with the page of the mode.
func bodyMode(o *options, page string) Answer {
	page = strings.ReplaceAll(page, "[[status]]", statusLine(o.response.StatusCode))
	return func(w http.ResponseWriter, r *http.Request, b *Blocked) {
		if o.response.Body != nil {
			o.send(w, r, o.response.ContentType, *o.response.Body)
			return
		}
		o.send(w, r, o.response.ContentType, strings.ReplaceAll(page, "[[reason]]", b.Reason))
	}
}

func jsonMode(o *options) Answer { return bodyMode(o, jsonPage) }
func xmlMode(o *options) Answer  { return bodyMode(o, xmlPage) }
func htmlMode(o *options) Answer { return bodyMode(o, htmlPage) }

func textMode(o *options) Answer {
	o.set(textHeaders)
	return bodyMode(o, textPage)
}
