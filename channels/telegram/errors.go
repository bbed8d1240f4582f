package telegram

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"steady/core"
)

// A refusal is the platform's own word for why it did not do what was asked.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s", r.code, r.text) }

// says tells whether err is a refusal with one of the phrases in it, which are in lower case.
func says(err error, phrases ...string) bool {
	var r *refusal
	return errors.As(err, &r) && containsAny(strings.ToLower(r.text), phrases...)
}

func containsAny(text string, phrases ...string) bool {
	for _, p := range phrases {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// The refusals that are no failure, or that another try mends. The texts are those of the server's source
// (tdlib/telegram-bot-api, Client.cpp) and, in capitals there, of the platform behind it.

func unchanged(err error) bool { return says(err, "message is not modified") }

func notThere(err error) bool { return says(err, "message to delete not found", "message_id_invalid") }

func threadGone(err error) bool {
	return says(err, "message thread not found", "topic_deleted", "topic_closed", "topic_id_invalid")
}

func repliedGone(err error) bool {
	return says(err, "message to be replied not found", "replied message not found", "reply_message_id_invalid")
}

// conflicts tells whether err says that somebody else polls, or that a webhook is set.
func conflicts(err error) bool {
	var r *refusal
	return errors.As(err, &r) && r.code == http.StatusConflict
}

// verdict tells what an answer means, given its status, its Retry-After header and its body. It is nil when the platform did
// what was asked, else an [*core.Error]. What is not the platform's answer says nothing about what happened.
func verdict(status int, retryAfter string, body []byte) error {
	var a struct {
		OK          bool   `json:"ok"`
		Code        int    `json:"error_code"`
		Description string `json:"description"`
		Parameters  struct {
			RetryAfter int   `json:"retry_after"`
			MigrateTo  int64 `json:"migrate_to_chat_id"`
		} `json:"parameters"`
	}
	if err := json.Unmarshal(body, &a); err != nil {
		a.OK, a.Code, a.Description = false, 0, "no answer of the platform"
	}
	if a.OK {
		return nil
	}
	r := &refusal{code: cmp.Or(a.Code, status), text: clip(a.Description, 300)}
	e := &core.Error{Kind: kind(r), Err: r}
	if a.Code == 0 && status != http.StatusTooManyRequests {
		e.Kind = core.Uncertain
	}
	if next := (place{chat: a.Parameters.MigrateTo}); next.chat != 0 && r.code == http.StatusBadRequest {
		e.Kind, e.Chat, e.Context = core.Relocated, next.key(), next.context()
	}
	if e.Kind == core.Throttled {
		header, _ := strconv.Atoi(retryAfter) // the parameter counts; the header is all that a proxy may leave of it
		e.Wait = time.Duration(max(1, cmp.Or(a.Parameters.RetryAfter, header))) * time.Second
	}
	return e
}

// kind is the class of a refusal, without what its parameters say.
func kind(r *refusal) core.Kind {
	text := strings.ToLower(r.text)
	switch {
	case r.code == http.StatusTooManyRequests:
		return core.Throttled
	case r.code == http.StatusUnauthorized:
		return core.Unauthorized
	case r.code == http.StatusNotFound && !strings.Contains(text, "method not found"):
		return core.Unauthorized // a malformed token
	case r.code == http.StatusForbidden:
		return core.Gone
	case r.code == http.StatusBadRequest:
		return badRequest(text)
	case r.code == http.StatusConflict:
		return core.Other
	case r.code == http.StatusRequestTimeout || r.code == http.StatusMisdirectedRequest:
		return core.Uncertain
	case r.code > 400 && r.code < 500:
		return core.Refused
	}
	return core.Uncertain
}

func badRequest(text string) core.Kind {
	switch {
	case containsAny(text, "can't parse entit", "entity_", "entities_"):
		return core.Markup
	case containsAny(text, "chat not found", "peer_id_invalid", "user_is_blocked", "user_deactivated", "chat was deactivated"):
		return core.Gone
	}
	return core.Refused
}

// lost is the error of a call that got no answer. Before anything was written nothing can have happened. The token is part of
// every address and so of the errors of net/http; it is taken out here.
func lost(err error, written bool, token string) error {
	e := &core.Error{Kind: core.Unsent, Err: err}
	if written {
		e.Kind = core.Uncertain
	}
	var u *url.Error
	if errors.As(err, &u) {
		e.Err = u.Err
	}
	if strings.Contains(e.Err.Error(), token) {
		e.Err = errors.New(strings.ReplaceAll(e.Err.Error(), token, "***"))
	}
	return e
}

// refuse is a failure that is known without asking the platform.
func refuse(format string, args ...any) error {
	return &core.Error{Kind: core.Refused, Err: fmt.Errorf(format, args...)}
}
