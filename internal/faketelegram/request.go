package faketelegram

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"unicode/utf8"
)

// maxBody bounds a request: an upload of 50 MB and its frame.
const maxBody = 51 << 20

// decodeRequest reads the parameters of a call: those of the address, then those of the body, whichever form it has.
func decodeRequest(w http.ResponseWriter, r *http.Request) (Params, []Upload, *Refusal) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, nil, &Refusal{Code: http.StatusRequestEntityTooLarge, Description: "Request Entity Too Large"}
	case err != nil:
		return nil, nil, badRequest("can't read the request")
	}
	return decode(r.URL.RawQuery, r.Header.Get("Content-Type"), body)
}

// decode is decodeRequest without the network. A parameter given twice has its first value.
func decode(query, contentType string, body []byte) (Params, []Upload, *Refusal) {
	p := make(Params)
	if err := addForm(p, query); err != nil {
		return nil, nil, badRequest("can't parse the query")
	}
	if len(body) == 0 {
		return p, nil, nil
	}
	kind, attrs, err := mime.ParseMediaType(contentType)
	if err != nil {
		return p, nil, nil // a body of unknown form is ignored
	}
	var files []Upload
	switch kind {
	case "application/json":
		err = addJSON(p, body)
	case "application/x-www-form-urlencoded":
		err = addForm(p, string(body))
	case "multipart/form-data":
		files, err = addMultipart(p, attrs["boundary"], body)
	}
	if err != nil {
		return nil, nil, badRequest("can't parse parameters: %s", err)
	}
	return p, files, nil
}

func (p Params) add(name, value string) {
	if _, given := p[name]; !given {
		p[name] = value
	}
}

func addForm(p Params, form string) error {
	values, err := url.ParseQuery(form)
	if err != nil {
		return errors.New("wrong form encoding")
	}
	for name, v := range values {
		p.add(name, v[0])
	}
	return nil
}

// addJSON takes strings as they are and everything else, null too, as its JSON text.
func addJSON(p Params, body []byte) error {
	if !utf8.Valid(body) {
		return errors.New("strings must be encoded in UTF-8")
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return errors.New("expected a JSON object")
	}
	for name, raw := range fields {
		var text string
		if raw[0] != '"' {
			text = string(raw)
		} else if err := json.Unmarshal(raw, &text); err != nil {
			return errors.New("wrong JSON string")
		}
		p.add(name, text)
	}
	return nil
}

func addMultipart(p Params, boundary string, body []byte) ([]Upload, error) {
	if boundary == "" {
		return nil, errors.New("boundary not found")
	}
	var files []Upload
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, errors.New("wrong multipart body")
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return nil, errors.New("unfinished part")
		}
		switch {
		case part.FormName() == "":
			return nil, errors.New("part without a name")
		case part.FileName() != "":
			files = append(files, Upload{part.FormName(), part.FileName(), part.Header.Get("Content-Type"), data})
		default:
			p.add(part.FormName(), string(data))
		}
	}
}
