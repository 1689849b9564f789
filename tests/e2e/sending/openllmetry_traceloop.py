"""A loop of its own around the OpenAI client, with the decorators of OpenLLMetry."""
import json
import os

import payments
from openai import OpenAI
from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import tool, workflow

client = OpenAI(base_url=os.environ["SERVICES"] + "/v1", api_key="none")
TOOLS = {"lookup_order": tool("lookup_order")(payments.lookup_order), "issue_refund": tool("issue_refund")(payments.issue_refund)}


@workflow("support_agent")
def answer(question: str) -> str:
    Traceloop.set_association_properties({"session_id": "conv-7"})
    messages = [{"role": "user", "content": question}]
    offered = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in TOOLS]
    while True:
        message = client.chat.completions.create(model="gpt-4o-mini", messages=messages, tools=offered).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                result = json.dumps(TOOLS[call.function.name](**json.loads(call.function.arguments)))
            except TimeoutError as error:
                result = f"TimeoutError: {error}"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


print(answer("Order 4812 arrived broken, please refund it."))
