"""A loop of its own around the OpenAI client, with MLflow's decorators."""
import json
import os

import mlflow
import payments
from openai import OpenAI

client = OpenAI(base_url=os.environ["SERVICES"] + "/v1", api_key="none")
TOOLS = {name: mlflow.trace(getattr(payments, name), name=name, span_type="TOOL") for name in ("lookup_order", "issue_refund")}


@mlflow.trace(name="chat", span_type="CHAT_MODEL")
def chat(messages: list, tools: list):
    answer = client.chat.completions.create(model="gpt-4o-mini", messages=messages, tools=tools)
    used = answer.usage
    tokens = {"input_tokens": used.prompt_tokens, "output_tokens": used.completion_tokens, "total_tokens": used.total_tokens}
    mlflow.get_current_active_span().set_attribute("mlflow.chat.tokenUsage", tokens)
    return answer.choices[0].message.model_dump(exclude_none=True)


@mlflow.trace(name="support_agent", span_type="AGENT")
def answer(question: str) -> str:
    messages = [{"role": "user", "content": question}]
    offered = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in TOOLS]
    while True:
        message = chat(messages, offered)
        messages.append(message)
        if "tool_calls" not in message:
            return message["content"]
        for call in message["tool_calls"]:
            try:
                result = json.dumps(TOOLS[call["function"]["name"]](**json.loads(call["function"]["arguments"])))
            except TimeoutError as error:
                result = f"TimeoutError: {error}"
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})


print(answer("Order 4812 arrived broken, please refund it."))
mlflow.flush_trace_async_logging()
