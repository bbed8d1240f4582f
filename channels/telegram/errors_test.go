package telegram

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"steady/core"
)

// The bodies are those of the Bot API server (tdlib/telegram-bot-api, Client.cpp) and of what stands before it.
func TestVerdict(t *testing.T) {
	refused := func(code int, text, more string) string {
		return fmt.Sprintf(`{"ok":false,"error_code":%d,"description":%q%s}`, code, text, more)
	}
	for _, test := range []struct {
		status int
		body   string
		want   core.Kind
		why    string
	}{
		{400, refused(400, "Bad Request: can't parse entities: Can't find end of bold entity at byte offset 7", ""), core.Markup, "the same without markup"},
		{400, refused(400, "Bad Request: ENTITY_BOUNDS_INVALID", ""), core.Markup, ""},
		{400, refused(400, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message", ""), core.Refused, "Edit makes a success of it"},
		{400, refused(400, "Bad Request: message to edit not found", ""), core.Refused, ""},
		{400, refused(400, "Bad Request: message can't be edited", ""), core.Refused, ""},
		{400, refused(400, "Bad Request: MESSAGE_TOO_LONG", ""), core.Refused, ""},
		{400, refused(400, "Bad Request: message text is empty", ""), core.Refused, ""},
		{400, refused(400, "Bad Request: message thread not found", ""), core.Refused, "post tries without the thread"},
		{400, refused(400, "Bad Request: BUTTON_DATA_INVALID", ""), core.Refused, ""},
		{400, refused(400, "Bad Request: not enough rights to send text messages to the chat", ""), core.Refused, "rights come and go without word of it"},
		{400, refused(400, "Bad Request: chat not found", ""), core.Gone, "never begun, or deleted"},
		{400, refused(400, "Bad Request: group chat was upgraded to a supergroup chat", `,"parameters":{"migrate_to_chat_id":-1000000000999}`), core.Relocated, ""},
		{400, refused(400, "Bad Request: group chat was migrated to a supergroup chat", `,"parameters":{"migrate_to_chat_id":-1000000000999}`), core.Relocated, "the older text"},
		{403, refused(403, "Forbidden: bot was blocked by the user", ""), core.Gone, ""},
		{403, refused(403, "Forbidden: bot was kicked from the supergroup chat", ""), core.Gone, ""},
		{403, refused(403, "Forbidden: bot can't initiate conversation with a user", ""), core.Gone, ""},
		{401, refused(401, "Unauthorized", ""), core.Unauthorized, ""},
		{404, refused(404, "Not Found", ""), core.Unauthorized, "a malformed token"},
		{404, refused(404, "Not Found: method not found", ""), core.Refused, "an older server of one's own"},
		{409, refused(409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running", ""), core.Other, ""},
		{413, refused(413, "Request Entity Too Large", ""), core.Refused, ""},
		{429, refused(429, "Too Many Requests: retry after 30", `,"parameters":{"retry_after":30}`), core.Throttled, ""},
		{421, refused(421, "Misdirected Request", ""), core.Uncertain, ""},
		{500, refused(500, "Internal Server Error: restart", ""), core.Uncertain, "it may have happened"},
		{502, "<html>\r\n<head><title>502 Bad Gateway</title></head></html>", core.Uncertain, ""},
		{504, "", core.Uncertain, ""},
		{403, "<html>403 Forbidden</html>", core.Uncertain, "a proxy's word is not the platform's"},
		{200, `{"ok":true,"result":{"message_id":`, core.Uncertain, "half an answer"},
		{200, `{}`, core.Uncertain, ""},
		{200, `null`, core.Uncertain, ""},
	} {
		err := verdict(test.status, "", []byte(test.body))
		var e *core.Error
		if !errors.As(err, &e) || e.Kind != test.want {
			t.Errorf("%d %s: %v, want kind %s (%s)", test.status, test.body, err, test.want, test.why)
		}
		if test.want == core.Relocated && (e.Chat != "telegram:-1000000000999" || e.Context != "-1000000000999") {
			t.Errorf("%s: relocated to %q at %q", test.body, e.Chat, e.Context)
		}
	}
	if err := verdict(200, "", []byte(`{"ok":true,"result":true}`)); err != nil {
		t.Errorf("an answer that is ok: %v", err)
	}
	if err := verdict(409, "", []byte(`{"ok":false,"error_code":409,"description":"Conflict: x"}`)); !conflicts(err) {
		t.Errorf("%v is no conflict", err)
	}
}

func TestVerdictWait(t *testing.T) {
	for _, test := range []struct {
		header, body string
		want         time.Duration
		why          string
	}{
		{"", `{"ok":false,"error_code":429,"parameters":{"retry_after":30}}`, 30 * time.Second, "never sooner (pains.md S17)"},
		{"7", `{"ok":false,"error_code":429,"parameters":{"retry_after":30}}`, 30 * time.Second, "the platform's own word counts"},
		{"7", `<html>429 Too Many Requests</html>`, 7 * time.Second, "a proxy says it in the header"},
		{"Wed, 21 Oct 2026 07:28:00 GMT", ``, time.Second, "a moment where nothing is said"},
		{"-5", `{"ok":false,"error_code":429}`, time.Second, ""},
	} {
		var e *core.Error
		if err := verdict(http.StatusTooManyRequests, test.header, []byte(test.body)); !errors.As(err, &e) || e.Kind != core.Throttled || e.Wait != test.want {
			t.Errorf("%q %s: %v, want a wait of %s (%s)", test.header, test.body, err, test.want, test.why)
		}
	}
}

// The token is in every address, and so in what net/http says of it.
func TestErrorsHoldNoToken(t *testing.T) {
	const token = "4242:SECRET"
	address := "https://api.example.org/bot" + token + "/sendMessage"
	for _, err := range []error{
		&url.Error{Op: "Post", URL: address, Err: errors.New("connection reset by peer")},
		fmt.Errorf("error do request, %w", &url.Error{Op: "Post", URL: address, Err: fmt.Errorf("dial %s", address)}),
		fmt.Errorf("error create request, parse %q: no host", address),
	} {
		got := lost(err, false, token)
		if strings.Contains(got.Error(), "SECRET") || core.KindOf(got) != core.Unsent {
			t.Errorf("%v", got)
		}
	}
	c := Config{Token: token}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "token", c.Token, "config", c)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "token", c.Token, "config", struct{ T Secret }{c.Token})
	if strings.Contains(log.String(), "SECRET") {
		t.Errorf("logged: %s", log.String())
	}
	for _, text := range []string{fmt.Sprintf("%v %+v %#v %s", c, c, c, c.Token), fmt.Sprintf("%q %x %d", c.Token, c.Token, c.Token)} {
		if strings.Contains(text, "SECRET") || strings.Contains(text, fmt.Sprintf("%x", "SECRET")) {
			t.Errorf("printed: %s", text)
		}
	}
}
