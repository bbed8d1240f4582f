package offline_test

import (
	"testing"

	"steady/core"
	"steady/core/offline"
)

// BenchmarkReply answers one message of each kind: a report, a question, small talk.
func BenchmarkReply(b *testing.B) {
	m := model(b)
	for name, text := range map[string]string{
		"report": "walked 20 min briskly after dinner, it was raining", "report in Korean": "어제 산책 했는데 깜빡하고 기록 안 했어요",
		"question in Chinese": "有什么睡眠方面的习惯？", "small talk": "the weather is so lovely today that I could sing",
	} {
		p := person{today: "2026-03-10", lang: core.LangOf(text), habits: walkAndPhone(core.LangOf(text))}.ask(text)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Reply(b.Context(), p, func(core.Delta) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLearn is what the first message costs: what the coach knows is made for it.
func BenchmarkLearn(b *testing.B) {
	cfg := config(b)
	for b.Loop() {
		m, err := offline.New(cfg)
		if err != nil {
			b.Fatal(err)
		}
		m.Evidence("hello")
	}
}
