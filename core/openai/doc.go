// Package openai is a [core.Model] for every server that speaks OpenAI's chat completions: OpenAI itself, Gemini, Mistral,
// DeepSeek, Qwen, OpenRouter, vLLM, Ollama, LM Studio and their kin. It alone knows their quirks.
//
// A reply, file by file:
//
//   - request.go turns a prompt into JSON. The types are go-openai's wherever they can say what has to be said; fields that
//     they leave out when empty (content, a temperature of 0) or do not know (thought signatures, reasoning) are declared
//     beside them.
//   - openai.go tries, and tries again with a growing pause while that can help.
//   - attempt.go makes one request under three clocks: to connect, to the first token, between tokens. What counts is content,
//     not bytes: a server that only keeps the connection alive is silent.
//   - stream.go cuts the body into events, whether it is an event stream or plain JSON.
//   - chunk.go reads one event; every scalar in it may have the wrong type.
//   - reply.go puts the pieces together, think.go keeps the model's thoughts out of the text.
//   - keepsake.go keeps what a server wants to see again with the calls of a reply: reasoning, thought signatures.
//   - errors.go makes a [core.Kind] of whatever went wrong, and keeps secrets out of what is logged.
//
// go-openai's client is not used, only its types. The client refuses models by their name before it asks the server; its
// stream reader ends a stream at the 300th keep-alive, takes a cut connection for the end of the answer and loses errors that
// come inside of a stream; and an error of it has neither the response's headers, where Retry-After is, nor always the status.
//
// # What may be relied on
//
// A reply that was cut off is never acted upon. When the model reached its limit of tokens (finish reason "length") the error
// is Truncated even if there are calls whose arguments happen to be valid JSON; the same holds for a stream that ended without
// a finish reason. Arguments that are no JSON although the reply is complete are handed on as they are: the dispatcher
// answers them, and the model can correct itself.
//
// An error never contains the key, nor the password or query of the base URL, even when a server repeats them.
package openai
