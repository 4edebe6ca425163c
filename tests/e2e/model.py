"""A scripted model on loopback: drives a real coding agent through tool calls, and keeps what it was sent.

It speaks Anthropic Messages (POST */messages), OpenAI Responses (*/responses) and Chat Completions
(*/chat/completions), plain and streamed. Requests of several conversations (a subagent's, say) are told apart by a
marker in their text; each conversation takes its own turns in order and then ends with a text.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME = "mock-model"
Json = dict[str, Any]


@dataclass(frozen=True)
class ToolUse:
    """One tool call of the model. `namespace` is Codex's, for MCP tools; a text as input is one of its custom tools."""

    name: str
    input: Json | str
    namespace: str = ""


@dataclass(frozen=True)
class Turn:
    """One answer of the model: a text, tool calls, or both."""

    text: str = ""
    calls: tuple[ToolUse, ...] = ()


@dataclass(frozen=True)
class Conversation:
    """The turns for the requests that hold `marker`; of several whose marker is there, the first listed counts."""

    marker: str
    turns: tuple[Turn, ...]


@dataclass
class Script:
    """Which turn comes next, for many requests at once, and every request with the conversation that answered it."""

    conversations: Sequence[Conversation]
    requests: list[Json] = field(default_factory=list)
    _taken: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str, body: Json) -> Turn:
        """The turn for a request. One without tools, or with a tool that it forces (a title, a summary), takes none."""
        text = json.dumps(body, ensure_ascii=False)
        with self._lock:
            conversation = next((c for c in self.conversations if c.marker in text), None)
            if conversation is None or not _offers_tools(body) or isinstance(body.get("tool_choice"), dict):
                self.requests.append({"path": path, "conversation": "", "body": body})
                return Turn("ok")
            self.requests.append({"path": path, "conversation": conversation.marker, "body": body})
            taken = self._taken.get(conversation.marker, 0)
            self._taken[conversation.marker] = taken + 1
        return conversation.turns[taken] if taken < len(conversation.turns) else Turn("done")


def serve(script: Script, port: int) -> ThreadingHTTPServer:
    """Start the model in threads of its own; `shutdown()` ends it."""

    class Bound(Handler):
        pass

    Bound.script = script
    server = ThreadingHTTPServer(("127.0.0.1", port), Bound)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Handler(BaseHTTPRequestHandler):
    """One request; the wire format follows from the path."""

    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """A list of one model, whatever is asked for."""
        model = {"id": NAME, "object": "model", "created": 0, "owned_by": "mock", "type": "model", "display_name": NAME}
        self._json({"object": "list", "data": [model], "has_more": False, "first_id": NAME, "last_id": NAME})

    def do_POST(self) -> None:
        """The next turn in the wire format of the path; an empty object for a path that is none of the three."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        for end, wire in (("/messages", messages), ("/responses", responses), ("/chat/completions", chat)):
            if path.endswith(end):
                body = json.loads(raw)
                whole, events = wire(self.script.answer(path, body), str(body.get("model", NAME)))
                return self._events(events) if body.get("stream") else self._json(whole)
        return self._json({"input_tokens": 100} if path.endswith("/count_tokens") else {})

    def _json(self, value: Json) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _events(self, events: Iterator[tuple[str, Json | str]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for name, value in events:
            head = f"event: {name}\n" if name else ""
            data = value if isinstance(value, str) else json.dumps(value)
            self.wfile.write(f"{head}data: {data}\n\n".encode())
            self.wfile.flush()


def _offers_tools(body: Json) -> bool:
    """Whether a request offers tools; Codex tells its newest models of them in the conversation."""
    return bool(body.get("tools")) or any(item.get("type") == "additional_tools" for item in body.get("input", ()))


def _id(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:24]


def messages(turn: Turn, model: str) -> tuple[Json, Iterator[tuple[str, Json | str]]]:
    """Anthropic Messages: the whole answer, and the same as events."""
    blocks: list[Json] = [{"type": "text", "text": turn.text}] if turn.text else []
    blocks += [{"type": "tool_use", "id": _id("toolu_"), "name": call.name, "input": call.input} for call in turn.calls]
    stop = "tool_use" if turn.calls else "end_turn"
    usage = {"input_tokens": 10, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    whole: Json = {
        "id": _id("msg_"), "type": "message", "role": "assistant", "model": model, "content": blocks,
        "stop_reason": stop, "stop_sequence": None, "usage": usage,
    }  # fmt: skip

    def events() -> Iterator[tuple[str, Json | str]]:
        yield _typed("message_start", message=whole | {"content": [], "stop_reason": None})
        for index, block in enumerate(blocks):
            if block["type"] == "text":
                empty, delta = block | {"text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                empty = block | {"input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            yield _typed("content_block_start", index=index, content_block=empty)
            yield _typed("content_block_delta", index=index, delta=delta)
            yield _typed("content_block_stop", index=index)
        ending = {"stop_reason": stop, "stop_sequence": None}
        yield _typed("message_delta", delta=ending, usage={"output_tokens": 10})
        yield _typed("message_stop")

    return whole, events()


def responses(turn: Turn, model: str) -> tuple[Json, Iterator[tuple[str, Json | str]]]:
    """OpenAI Responses: the whole answer, and the same as events."""
    items: list[Json] = []
    if turn.text:
        content = [{"type": "output_text", "text": turn.text, "annotations": []}]
        items.append(
            {"type": "message", "id": _id("msg_"), "role": "assistant", "status": "completed", "content": content}
        )
    for call in turn.calls:
        if isinstance(call.input, str):
            items.append(
                {
                    "type": "custom_tool_call", "id": _id("ctc_"), "call_id": _id("call_"), "name": call.name,
                    "input": call.input, "status": "completed",
                }
            )  # fmt: skip
            continue
        item = {
            "type": "function_call", "id": _id("fc_"), "call_id": _id("call_"), "name": call.name,
            "arguments": json.dumps(call.input), "status": "completed",
        }  # fmt: skip
        items.append(item | ({"namespace": call.namespace} if call.namespace else {}))
    usage = {
        "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 20,
    }  # fmt: skip
    whole: Json = {
        "id": _id("resp_"), "object": "response", "created_at": 0, "status": "completed", "model": model,
        "output": items, "error": None, "incomplete_details": None, "usage": usage,
    }  # fmt: skip

    def events() -> Iterator[tuple[str, Json | str]]:
        started = whole | {"status": "in_progress", "output": [], "usage": None}
        sequence: list[tuple[str, Json]] = [("response.created", {"response": started})]
        for index, item in enumerate(items):
            at = {"item_id": item["id"], "output_index": index}
            sequence.append(
                ("response.output_item.added", {"output_index": index, "item": item | {"status": "in_progress"}})
            )
            if item["type"] == "message":
                text = {"content_index": 0}
                sequence.append(("response.output_text.delta", at | text | {"delta": item["content"][0]["text"]}))
                sequence.append(("response.output_text.done", at | text | {"text": item["content"][0]["text"]}))
            elif item["type"] == "function_call":
                sequence.append(("response.function_call_arguments.done", at | {"arguments": item["arguments"]}))
            sequence.append(("response.output_item.done", {"output_index": index, "item": item}))
        sequence.append(("response.completed", {"response": whole}))
        for number, (name, value) in enumerate(sequence):
            yield _typed(name, sequence_number=number, **value)

    return whole, events()


def chat(turn: Turn, model: str) -> tuple[Json, Iterator[tuple[str, Json | str]]]:
    """OpenAI Chat Completions: the whole answer, and the same as chunks."""
    calls = [
        {"id": _id("call_"), "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.input)}}
        for call in turn.calls
    ]
    finish = "tool_calls" if calls else "stop"
    base: Json = {"id": _id("chatcmpl-"), "created": 0, "model": model}
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    message: Json = {"role": "assistant", "content": turn.text or None} | ({"tool_calls": calls} if calls else {})
    choice = {"index": 0, "message": message, "finish_reason": finish}
    whole = base | {"object": "chat.completion", "usage": usage, "choices": [choice]}

    def chunk(delta: Json, end: str | None = None, **more: object) -> tuple[str, Json | str]:
        choice = {"index": 0, "delta": delta, "finish_reason": end}
        return "", base | {"object": "chat.completion.chunk", "choices": [choice]} | more

    def events() -> Iterator[tuple[str, Json | str]]:
        yield chunk({"role": "assistant", "content": ""})
        if turn.text:
            yield chunk({"content": turn.text})
        for index, call in enumerate(calls):
            yield chunk({"tool_calls": [{"index": index, **call}]})
        yield chunk({}, finish, usage=usage)
        yield "", "[DONE]"

    return whole, events()


def _typed(name: str, **value: object) -> tuple[str, Json | str]:
    return name, {"type": name, **value}


def conversations(data: Sequence[Mapping[str, Any]]) -> list[Conversation]:
    """Conversations from JSON: [{"marker", "turns": [{"text"?, "calls"?: [{"name", "input", "namespace"?}]}]}]."""
    return [
        Conversation(
            entry["marker"],
            tuple(
                Turn(turn.get("text", ""), tuple(ToolUse(**call) for call in turn.get("calls", ())))
                for turn in entry["turns"]
            ),
        )
        for entry in data
    ]
