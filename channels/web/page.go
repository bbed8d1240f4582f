package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"time"

	"steady/core"
)

//go:embed page
var pageFiles embed.FS

// A page is what the browser loads, by path: "/" and the files beside index.html. It holds no secret, so it is served before
// the sign-in as well.
type page map[string]asset

type asset struct {
	name string
	etag string
	body []byte
}

// newPage reads the embedded files. lang is the language that the page speaks; "" leaves it to the browser.
func newPage(lang core.Lang) (page, error) {
	files, err := fs.Glob(pageFiles, "page/*")
	if err != nil {
		return nil, fmt.Errorf("list page files: %w", err)
	}
	p := page{}
	for _, file := range files {
		body, err := pageFiles.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read page file: %w", err)
		}
		name := path.Base(file)
		if name == "index.html" {
			p["/"] = newAsset(name, fillIn(body, lang))
			continue
		}
		p["/"+name] = newAsset(name, body)
	}
	return p, nil
}

// fillIn puts the language into the page; it is one of a closed set, so there is nothing to escape. A template engine for one
// word would also keep the linker from dropping what is never called.
func fillIn(index []byte, lang core.Lang) []byte {
	return bytes.Replace(index, []byte(`<html lang="">`), []byte(`<html lang="`+string(lang)+`">`), 1)
}

func newAsset(name string, body []byte) asset {
	sum := sha256.Sum256(body)
	return asset{name, `"` + hex.EncodeToString(sum[:8]) + `"`, body}
}

// ServeHTTP answers with a file, or 404. Browsers ask again each time, so that a new program is never mixed with an old page.
func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, ok := p[r.URL.Path]
	switch {
	case !ok:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(a.name)))
	w.Header().Set("ETag", a.etag)
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, a.name, time.Time{}, bytes.NewReader(a.body))
}

// guarded lets a request through that names a host of ours, and sets what browsers shall hold to whatever the answer is: nothing
// from elsewhere, nothing inline, nobody's frame.
func guarded(d *door, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "+
			"base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !d.knowsHost(r) {
			http.Error(w, "unknown host", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
