package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// A setting is one key of the configuration and what sets it.
type setting struct {
	path string
	set  func(scalar) error
}

// A scalar is a value as it stands in the file, or a list of them.
type scalar struct {
	text   string
	quoted bool
	list   []string
	isList bool
}

// A decoder reads a configuration file strictly. It goes on after a problem, so that all are reported at once.
type decoder struct {
	file     string
	getenv   func(string) (string, bool)
	problems []string
}

// decode sets what the file says and returns which keys it had.
func (d *decoder) decode(source []byte, settings []setting) map[string]bool {
	file, err := parser.ParseBytes(source, 0)
	if err != nil {
		line := 0
		var at interface{ GetToken() *token.Token }
		if errors.As(err, &at) && at.GetToken() != nil {
			line = at.GetToken().Position.Line
		}
		first, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
		d.problem(line, "", first)
		return nil
	}
	set := map[string]bool{}
	if len(file.Docs) > 1 {
		d.problem(0, "", "more than one document")
	}
	for _, doc := range file.Docs[:min(1, len(file.Docs))] {
		if doc.Body != nil {
			d.walk("", doc.Body, settings, set)
		}
	}
	return set
}

func (d *decoder) problem(line int, path, what string) {
	at := d.file
	if line > 0 {
		at += ":" + strconv.Itoa(line)
	}
	if path != "" {
		at += ": " + path
	}
	d.problems = append(d.problems, at+": "+what)
}

// walk goes down the mapping at path.
func (d *decoder) walk(path string, n ast.Node, settings []setting, set map[string]bool) {
	line := n.GetToken().Position.Line
	var pairs []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	case *ast.NullNode, *ast.CommentGroupNode:
		return
	default:
		d.problem(line, path, "must be a group of keys")
		return
	}
	for _, p := range pairs {
		key := p.Key.GetToken().Value
		if path != "" {
			key = path + "." + key
		}
		line := p.Key.GetToken().Position.Line
		if i := slices.IndexFunc(settings, func(s setting) bool { return s.path == key }); i >= 0 {
			if set[key] {
				d.problem(line, key, "stands twice")
			}
			set[key] = true
			if err := d.apply(settings[i], p.Value); err != nil {
				d.problem(line, key, err.Error())
			}
			continue
		}
		if slices.ContainsFunc(settings, func(s setting) bool { return strings.HasPrefix(s.path, key+".") }) {
			d.walk(key, p.Value, settings, set)
			continue
		}
		d.problem(line, key, "unknown key")
	}
}

func (d *decoder) apply(s setting, n ast.Node) error {
	v, err := d.value(n)
	if err != nil {
		return err
	}
	return s.set(v)
}

// value reads a scalar or a list of scalars, with variables and files put in.
func (d *decoder) value(n ast.Node) (scalar, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		text, err := d.expand(n.Value)
		return scalar{text: text, quoted: true}, err
	case *ast.LiteralNode:
		text, err := d.expand(n.Value.Value)
		return scalar{text: text, quoted: true}, err
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return scalar{text: n.GetToken().Value}, nil
	case *ast.NullNode:
		return scalar{}, errors.New("has no value")
	case *ast.SequenceNode:
		out := scalar{isList: true}
		for _, item := range n.Values {
			v, err := d.value(item)
			if err == nil && v.isList {
				err = errors.New("must be a list of single values")
			}
			if err != nil {
				return scalar{}, err
			}
			out.list = append(out.list, v.text)
		}
		return out, nil
	}
	return scalar{}, errors.New("must be a single value")
}

// expand puts environment variables and the first line of files in.
func (d *decoder) expand(s string) (string, error) {
	if path, ok := strings.CutPrefix(s, "file:"); ok {
		return firstLine(path)
	}
	var missing error
	out := regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`).ReplaceAllStringFunc(s, func(m string) string {
		name := m[2 : len(m)-1]
		v, ok := d.getenv(name)
		if !ok {
			missing = fmt.Errorf("environment variable %s is not set", name)
		}
		return v
	})
	return out, missing
}

func firstLine(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	if !sc.Scan() {
		return "", fmt.Errorf("%s is empty", path)
	}
	return strings.TrimSpace(sc.Text()), nil
}

func text[T ~string](p *T) func(scalar) error {
	return func(v scalar) error {
		if v.isList {
			return errors.New("must be a text")
		}
		*p = T(v.text)
		return nil
	}
}

func oneOf(p *string, words ...string) func(scalar) error {
	return func(v scalar) error {
		if v.isList || !slices.Contains(words, v.text) {
			return fmt.Errorf("must be one of %s", strings.Join(words, ", "))
		}
		*p = v.text
		return nil
	}
}

func zone(p *string) func(scalar) error {
	return func(v scalar) error {
		if _, err := time.LoadLocation(v.text); err != nil || v.isList || v.text == "" || v.text == "Local" {
			return errors.New("must be an IANA time zone such as Asia/Seoul")
		}
		*p = v.text
		return nil
	}
}

func duration(p *time.Duration) func(scalar) error {
	return func(v scalar) error {
		d, err := time.ParseDuration(v.text)
		if err != nil || d <= 0 || v.isList {
			return errors.New("must be a duration such as 30s or 5m")
		}
		*p = d
		return nil
	}
}

func number(p *int, least int) func(scalar) error {
	return func(v scalar) error {
		n, err := strconv.Atoi(v.text)
		if err != nil || n < least || v.isList || v.quoted {
			return fmt.Errorf("must be a whole number of at least %d", least)
		}
		*p = n
		return nil
	}
}

func decimal(p *float64) func(scalar) error {
	return func(v scalar) error {
		f, err := strconv.ParseFloat(v.text, 64)
		if err != nil || f < 0 || f > 2 || v.isList || v.quoted {
			return errors.New("must be a number from 0 to 2")
		}
		*p = f
		return nil
	}
}

func truth(p *bool) func(scalar) error {
	return func(v scalar) error {
		if v.isList || v.quoted || v.text != "true" && v.text != "false" {
			return errors.New("must be true or false")
		}
		*p = v.text == "true"
		return nil
	}
}

func list(p *[]string) func(scalar) error {
	return func(v scalar) error {
		if !v.isList {
			return errors.New("must be a list such as [one, two]")
		}
		*p = v.list
		return nil
	}
}

func address(p *string) func(scalar) error {
	return func(v scalar) error {
		if v.isList {
			return errors.New("must be an http or https address")
		}
		if err := validURL(v.text); err != nil {
			return err
		}
		*p = strings.TrimRight(v.text, "/")
		return nil
	}
}

func listen(p *string) func(scalar) error {
	return func(v scalar) error {
		if _, _, err := net.SplitHostPort(v.text); v.isList || v.text != "" && err != nil {
			return errors.New("must be host:port, or empty to switch it off")
		}
		*p = v.text
		return nil
	}
}
