"""A model that speaks the wires of OpenAI, Anthropic and Gemini, and a payments service that loses an answer.

Both listen on loopback only. The model is a script: it looks the order up, asks for the refund, asks again when the
tool failed, and says goodbye. It keeps no state: what was said so far is in each request.
"""
import contextlib
import http.server
import json
import re
import threading
import time

MODEL = "gpt-4o-mini"
# Tokens of the n-th call of a run, from 0: input, of these from the cache, output.
USAGE = [(100 + 40 * n, 32 * n, 20) for n in range(8)]


def next_turn(results: list) -> dict:
    """What the model says after these tool results, oldest first."""
    turn = {"n": len(results), "usage": USAGE[min(len(results), 7)]}
    if not results:
        return {**turn, "tool": "lookup_order", "arguments": {"order_id": "4812"}}
    if len(results) > 1 and ("re_9013" in results[-1] or len(results) > 5):
        return {**turn, "text": "Your refund of 20.00 EUR is on its way."}
    return {**turn, "tool": "issue_refund", "arguments": {"order_id": "4812", "amount": 20}}


def as_text(content) -> str:
    return content if isinstance(content, str) else json.dumps(content)


def named(turn: dict, offered: list) -> str:
    """The tool's name as offered: some runtimes put a prefix before it."""
    return next((name for name in offered if name.endswith(turn["tool"])), turn["tool"])


def openai_chat(body: dict) -> dict:
    turn = next_turn([as_text(m["content"]) for m in body["messages"] if m["role"] == "tool"])
    message = {"role": "assistant", "content": turn.get("text")}
    if "tool" in turn:
        name = named(turn, [tool["function"]["name"] for tool in body.get("tools", [])])
        function = {"name": name, "arguments": json.dumps(turn["arguments"])}
        message["tool_calls"] = [{"id": f"call_{turn['n'] + 1}", "type": "function", "function": function}]
    read, cached, written = turn["usage"]
    return {
        "id": f"chatcmpl-{turn['n']}", "object": "chat.completion", "created": 1, "model": f"{MODEL}-2024-07-18",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if "tool" in turn else "stop"}],
        "usage": {
            "prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written,
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens_details": {"reasoning_tokens": 0},
        },
    }


def openai_chat_stream(body: dict) -> str:
    whole = openai_chat(body)
    message = whole["choices"][0]["message"]
    if "tool_calls" in message:
        message["tool_calls"] = [{"index": 0, **call} for call in message["tool_calls"]]
    base = {"id": whole["id"], "object": "chat.completion.chunk", "created": 1, "model": whole["model"]}
    parts = [
        {**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": whole["choices"][0]["finish_reason"]}]},
        {**base, "choices": [], "usage": whole["usage"]},
    ]
    return "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"


def openai_responses(body: dict) -> dict:
    given = body["input"] if isinstance(body["input"], list) else []
    turn = next_turn([as_text(item["output"]) for item in given if item.get("type") == "function_call_output"])
    if "tool" in turn:
        name = named(turn, [tool.get("name", "") for tool in body.get("tools", [])])
        item = {"type": "function_call", "id": f"fc_{turn['n'] + 1}", "call_id": f"call_{turn['n'] + 1}",
                "name": name, "arguments": json.dumps(turn["arguments"]), "status": "completed"}
    else:
        part = {"type": "output_text", "text": turn["text"], "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
    read, cached, written = turn["usage"]
    return {
        "id": f"resp_{turn['n']}", "object": "response", "created_at": 1, "status": "completed",
        "model": f"{MODEL}-2024-07-18", "output": [item], "parallel_tool_calls": False, "tool_choice": "auto",
        "tools": [], "error": None, "incomplete_details": None, "instructions": None, "metadata": {},
        "usage": {"input_tokens": read, "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
                  "output_tokens": written, "output_tokens_details": {"reasoning_tokens": 0},
                  "total_tokens": read + written},
    }


def gemini(body: dict) -> dict:
    parts = [part for content in body["contents"] for part in content["parts"]]
    results = [part.get("functionResponse") or part.get("function_response") for part in parts]
    turn = next_turn([as_text(result["response"]) for result in results if result])
    part = {"text": turn.get("text")}
    if "tool" in turn:
        part = {"functionCall": {"id": f"call_{turn['n'] + 1}", "name": turn["tool"], "args": turn["arguments"]}}
    read, cached, written = turn["usage"]
    return {
        "candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [part]}}],
        "usageMetadata": {"promptTokenCount": read, "candidatesTokenCount": written,
                          "cachedContentTokenCount": cached, "totalTokenCount": read + written},
        "modelVersion": MODEL,
    }


def anthropic_stream(body: dict) -> str:
    """Server-sent events of one message. Claude's input tokens do not contain the cached ones."""
    blocks = [b for m in body["messages"] if isinstance(m["content"], list) for b in m["content"]]
    turn = next_turn([as_text(b.get("content", "")) for b in blocks if b.get("type") == "tool_result"])
    offered = [tool["name"] for tool in body.get("tools", [])]
    if "tool" in turn and not any(name.endswith(turn["tool"]) for name in offered):
        turn = {**turn, "text": "Nothing to do."}
        del turn["tool"]
    read, cached, written = turn["usage"]
    usage = {"input_tokens": read - cached, "cache_read_input_tokens": cached,
             "cache_creation_input_tokens": 0, "output_tokens": written}
    start = {"id": f"msg_{turn['n']}", "type": "message", "role": "assistant", "model": body["model"],
             "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    if "tool" in turn:
        block = {"type": "tool_use", "id": f"toolu_{turn['n'] + 1}", "name": named(turn, offered), "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(turn["arguments"])}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": turn["text"]}
    stop = {"stop_reason": "tool_use" if "tool" in turn else "end_turn", "stop_sequence": None}
    events = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": written}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


class Services:
    """Model and payments on one port. `ledger` holds the refunds that were really made."""

    def __init__(self) -> None:
        self.ledger: list = []
        self.turns: list = []
        self.lock = threading.Lock()
        self.gone = threading.Event()

    def refund(self, body: dict) -> dict:
        """Makes the refund. The first answer is lost: it comes long after its caller has given up."""
        with self.lock:
            self.ledger.append(body)
            number = len(self.ledger)
        if number == 1:
            self.gone.wait(30)
        return {"refund_id": f"re_9013_{number}", "status": "succeeded"}

    def answer(self, path: str, body: dict):
        """The answer to a request: JSON, or the text of an event stream."""
        path = path.split("?")[0]
        if path.endswith("/chat/completions"):
            return openai_chat_stream(body) if body.get("stream") else openai_chat(body)
        if path.endswith("/responses"):
            return openai_responses(body)
        if re.search(r":(generateContent|streamGenerateContent)$", path):
            return gemini(body)
        if path.endswith("/messages"):
            return anthropic_stream(body)
        if path == "/orders/4812":
            return {"order_id": "4812", "total": "20.00 EUR", "state": "delivered broken"}
        if path == "/refunds":
            return self.refund(body)
        return None


@contextlib.contextmanager
def serving():
    """Serves on a free port of loopback; gives the services and their address."""
    services = Services()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def respond(self):
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            found = services.answer(self.path, body)
            kind = "text/event-stream" if isinstance(found, str) else "application/json"
            data = found.encode() if isinstance(found, str) else json.dumps(found or {}).encode()
            # Who has given up does not read the answer.
            with contextlib.suppress(OSError):
                self.send_response(200 if found is not None else 404)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        do_GET = do_POST = do_HEAD = respond

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield services, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        services.gone.set()
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    with serving() as (_, address):
        print(address, flush=True)
        time.sleep(3600)
