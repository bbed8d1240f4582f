// Package fakemodel is an OpenAI-compatible chat-completions server for tests. It checks each request as strictly as the
// strictest servers do, answers from a script or a function, as a stream or as one JSON object, and can fail in every way that
// the real ones do: statuses with and without Retry-After, streams that stall, break off, or were never valid.
//
// The files, in the order in which a request meets them:
//
//	server.go   Config, New, Start, Close; the script, the log, the wait on a condition
//	request.go  what was asked
//	check.go    what the API refuses, with its texts; checkmsg.go for the messages, checktool.go for the tools
//	reply.go    what a test can let the model say
//	write.go    replies as bytes
//	samples.go  26 streams of real servers' quirks
//
// Stricter than OpenAI, because others are: every message needs its content (null only beside tool calls), arguments of tool
// calls must be JSON objects, functions need parameters, and a call may be answered once.
package fakemodel
