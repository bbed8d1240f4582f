package telegram

import (
	"fmt"
	"strconv"
	"strings"

	"steady/core"
)

// Name is what the channel is called in [core.Options] and in its chats' keys. It is part of stored data.
const Name = "telegram"

// A place is where a message goes: a chat, and a topic of it where it has topics. The forms below are stored for as long as
// the chat lives, so they may be added to but never changed.
type place struct {
	chat  int64 // negative for groups
	topic int   // 0 for none
}

// key is "telegram:CHAT" or "telegram:CHAT:TOPIC".
func (p place) key() core.ChatKey { return core.ChatKey(Name + ":" + p.String()) }

// context is the address without the channel's name; [parsePlace] reads it.
func (p place) context() core.ChannelContext { return core.ChannelContext(p.String()) }

func (p place) group() bool { return p.chat < 0 }

// whole is the chat without the topic.
func (p place) whole() place { return place{chat: p.chat} }

func (p place) String() string {
	if p.topic == 0 {
		return strconv.FormatInt(p.chat, 10)
	}
	return fmt.Sprintf("%d:%d", p.chat, p.topic)
}

func parsePlace(c core.ChannelContext) (place, error) {
	chat, topic, inTopic := strings.Cut(string(c), ":")
	p := place{}
	var err error
	if p.chat, err = strconv.ParseInt(chat, 10, 64); err != nil || p.chat == 0 {
		return place{}, fmt.Errorf("address %q is not one of this channel", c)
	}
	if !inTopic {
		return p, nil
	}
	if p.topic, err = strconv.Atoi(topic); err != nil || p.topic <= 0 {
		return place{}, fmt.Errorf("address %q is not one of this channel", c)
	}
	return p, nil
}

// A post is one message of a chat. The chat is part of its name, since the numbers start anew when a group becomes a
// supergroup: an edit must never reach another message that has the same number there.
type post struct {
	chat int64
	id   int
}

func (p post) messageID() core.MessageID { return core.MessageID(fmt.Sprintf("%d/%d", p.chat, p.id)) }

// inbound is the id of the message as an inbound, for [core.Inbound.ID] and [core.Edited.Of].
func (p post) inbound() string { return "m:" + string(p.messageID()) }

func parsePost(id core.MessageID) (post, error) {
	chat, number, _ := strings.Cut(string(id), "/")
	p := post{}
	var err error
	if p.chat, err = strconv.ParseInt(chat, 10, 64); err != nil {
		return post{}, fmt.Errorf("message id %q is not one of this channel", id)
	}
	if p.id, err = strconv.Atoi(number); err != nil || p.id <= 0 {
		return post{}, fmt.Errorf("message id %q is not one of this channel", id)
	}
	return p, nil
}

// account names a user, or a group where groups are let in like people; users are positive and groups negative, so the two
// never meet.
func account(id int64) core.AccountID { return core.AccountID(Name + ":" + strconv.FormatInt(id, 10)) }

// maxButtonData is the platform's limit in bytes.
const maxButtonData = 64

// buttonData is what a button carries: the token and the topic that it was shown in, which a press of a message that is no
// longer accessible does not say. Whatever comes back was chosen by a client and proves nothing.
func buttonData(token string, topic int) string {
	if topic == 0 {
		return token + ":"
	}
	return token + ":" + strconv.Itoa(topic)
}

func parseButton(data string) (token string, topic int) {
	i := strings.LastIndexByte(data, ':')
	if i < 0 {
		return data, 0
	}
	if topic, err := strconv.Atoi(data[i+1:]); err == nil && topic > 0 {
		return data[:i], topic
	}
	return data[:i], 0
}
