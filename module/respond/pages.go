package respond

import "net/http"

// bodyMode answers with the body of the policy, else with the mode's own page for the reason.
func bodyMode(o *options, page func(reason string) string) Answer {
	return func(w http.ResponseWriter, r *http.Request, b *Blocked) {
		if o.response.Body != nil {
			o.send(w, r, o.response.ContentType, *o.response.Body)
			return
		}
		o.send(w, r, o.response.ContentType, page(b.Reason))
	}
}

// jsonMode names the reason and never the rule: a scanner learns nothing to work around.
func jsonMode(o *options) Answer {
	return bodyMode(o, func(reason string) string {
		return `{"error":{"code":"` + reason + `","message":"the request was blocked"}}` + "\n"
	})
}

func xmlMode(o *options) Answer {
	return bodyMode(o, func(reason string) string {
		return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
			"<error><code>" + reason + "</code><message>the request was blocked</message></error>\n"
	})
}

func htmlMode(o *options) Answer {
	line := statusLine(o.response.StatusCode)
	page := `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>` + line + `</title>
</head>
<body>
<main>
<h1>` + line + `</h1>
<p>The request was blocked.</p>
</main>
</body>
</html>
`
	return bodyMode(o, func(string) string { return page })
}

// textMode forbids sniffing: an answer that quotes a body of the policy must stay text.
func textMode(o *options) Answer {
	o.headers["X-Content-Type-Options"] = "nosniff"
	line := statusLine(o.response.StatusCode) + "\n"
	return bodyMode(o, func(string) string { return line })
}
