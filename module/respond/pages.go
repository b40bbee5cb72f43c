package respond

import (
	"net/http"
	"strings"
)

// bodyMode responds with the body of the policy, or with the page of the mode, which has a note about the reference.
func bodyMode(o *options, page, note string) Answer {
	page = strings.ReplaceAll(page, "[[status]]", statusLine(o.response.StatusCode))
	return func(w http.ResponseWriter, r *http.Request, b *Blocked) {
		if o.response.Body != nil {
			o.send(w, r, b, o.response.ContentType, *o.response.Body)
			return
		}
		body := strings.Replace(page, referencePlaceholder, o.noteWithReference(note, b), 1)
		o.send(w, r, b, o.response.ContentType, strings.ReplaceAll(body, "[[reason]]", b.Reason))
	}
}

func jsonMode(o *options) Answer { return bodyMode(o, jsonPage, jsonNote) }
func xmlMode(o *options) Answer  { return bodyMode(o, xmlPage, xmlNote) }
func htmlMode(o *options) Answer { return bodyMode(o, htmlPage, htmlNote) }

func textMode(o *options) Answer {
	o.setHeaders(textHeaders)
	return bodyMode(o, textPage, textNote)
}
