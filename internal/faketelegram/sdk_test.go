package faketelegram_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	tg "steady/internal/faketelegram"
)

// TestGoTelegram drives the platform with a client that knows the real one: multipart requests, typed results, its own reading
// of errors.
func TestGoTelegram(t *testing.T) {
	s := start(t, tg.Config{})
	ctx := bounded(t)
	b, err := bot.New(s.Token(), bot.WithServerURL(s.url), bot.WithSkipGetMe())
	if err != nil {
		t.Fatal(err)
	}
	me, err := b.GetMe(ctx)
	if err != nil || me.Username != "steady_bot" {
		t.Fatalf("getMe: %+v %v", me, err)
	}
	asked := s.Say(s.chat, s.user.ID, "delete my habit")
	keyboard := &models.InlineKeyboardMarkup{InlineKeyboard: [][]models.InlineKeyboardButton{{
		{Text: "Yes", CallbackData: "y:1"}, {Text: "No", CallbackData: "n:1"},
	}}}
	off := true
	m, err := b.SendMessage(ctx, &bot.SendMessageParams{
		ChatID: s.chat, Text: "Delete “run”?", ReplyMarkup: keyboard,
		Entities:           []models.MessageEntity{{Type: models.MessageEntityTypeBold, Offset: 7, Length: 5}},
		ReplyParameters:    &models.ReplyParameters{MessageID: int(asked.ID), AllowSendingWithoutReply: true},
		LinkPreviewOptions: &models.LinkPreviewOptions{IsDisabled: &off},
	})
	if err != nil {
		t.Fatal(err)
	}
	if m.Text != "Delete “run”?" || m.ReplyToMessage == nil || m.ReplyMarkup == nil || len(m.Entities) != 1 || m.Chat.Type != models.ChatTypePrivate {
		t.Errorf("sent: %+v", m)
	}

	press, err := s.PressButton(s.chat, s.user.ID, int64(m.ID), 0)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := b.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{CallbackQueryID: press, Text: "Done."}); !ok || err != nil {
		t.Errorf("answerCallbackQuery: %v %v", ok, err)
	}
	edit := &bot.EditMessageTextParams{ChatID: s.chat, MessageID: m.ID, Text: "Deleted."}
	if m, err = b.EditMessageText(ctx, edit); err != nil || m.Text != "Deleted." || m.EditDate == 0 {
		t.Errorf("editMessageText: %+v %v", m, err)
	}
	if _, err = b.EditMessageText(ctx, edit); !errors.Is(err, bot.ErrorBadRequest) || !strings.Contains(err.Error(), "message is not modified") {
		t.Errorf("the same edit again: %v", err)
	}
	ok, err := b.SetMyCommands(ctx, &bot.SetMyCommandsParams{
		Commands: []models.BotCommand{{Command: "new", Description: "start anew"}},
		Scope:    &models.BotCommandScopeAllPrivateChats{}, LanguageCode: "en",
	})
	if !ok || err != nil || len(s.Menu(s.chat, s.user.ID, "en")) != 1 {
		t.Errorf("setMyCommands: %v %v", ok, err)
	}
	doc, err := b.SendDocument(ctx, &bot.SendDocumentParams{ChatID: s.chat, Caption: "all of it",
		Document: &models.InputFileUpload{Filename: "data.json", Data: strings.NewReader("{}")}})
	if err != nil || doc.Document == nil || doc.Document.FileName != "data.json" {
		t.Errorf("sendDocument: %+v %v", doc, err)
	}
	ok, err = b.SetMessageReaction(ctx, &bot.SetMessageReactionParams{ChatID: s.chat, MessageID: int(asked.ID), Reaction: []models.ReactionType{
		{Type: models.ReactionTypeTypeEmoji, ReactionTypeEmoji: &models.ReactionTypeEmoji{Emoji: "👀"}}}})
	if !ok || err != nil {
		t.Errorf("setMessageReaction: %v %v", ok, err)
	}

	s.Break(tg.Rule{Method: "sendMessage", Do: tg.TooMany(3)})
	_, err = b.SendMessage(ctx, &bot.SendMessageParams{ChatID: s.chat, Text: "x"})
	var tooMany *bot.TooManyRequestsError
	if !errors.As(err, &tooMany) || tooMany.RetryAfter != 3 {
		t.Errorf("throttled: %v", err)
	}
	to := s.Migrate(s.grp, s.user.ID)
	_, err = b.SendChatAction(ctx, &bot.SendChatActionParams{ChatID: s.grp, Action: models.ChatActionTyping})
	var moved *bot.MigrateError
	if !errors.As(err, &moved) || int64(moved.MigrateToChatID) != to.ID {
		t.Errorf("moved: %v", err)
	}
	s.Block(s.user.ID)
	if _, err = b.SendChatAction(ctx, &bot.SendChatActionParams{ChatID: s.chat, Action: models.ChatActionTyping}); !errors.Is(err, bot.ErrorForbidden) {
		t.Errorf("blocked: %v", err)
	}

	shown := s.FromBot(s.chat)
	if len(shown) != 2 || shown[0].Text != "Deleted." || len(shown[0].Buttons) != 0 || shown[0].Edits != 1 || shown[0].ReplyTo != asked.ID {
		t.Errorf("shown: %+v", shown)
	}
}
