"""A loop of its own around the OpenAI client, with tool spans by hand, as the conventions say."""
import json
import os

from openai import OpenAI
from opentelemetry import trace
from payments import issue_refund, lookup_order

TOOLS = {"lookup_order": lookup_order, "issue_refund": issue_refund}
tracer = trace.get_tracer("support_agent")
client = OpenAI(base_url=os.environ["SERVICES"] + "/v1", api_key="none")
messages = [{"role": "user", "content": "Order 4812 arrived broken, please refund it."}]
offered = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in TOOLS]


def execute(call) -> str:
    with tracer.start_as_current_span(f"execute_tool {call.function.name}") as span:
        span.set_attribute("gen_ai.operation.name", "execute_tool")
        span.set_attribute("gen_ai.tool.name", call.function.name)
        span.set_attribute("gen_ai.tool.call.id", call.id)
        span.set_attribute("gen_ai.tool.call.arguments", call.function.arguments)
        result = TOOLS[call.function.name](**json.loads(call.function.arguments))
        span.set_attribute("gen_ai.tool.call.result", json.dumps(result))
        return json.dumps(result)


with tracer.start_as_current_span("invoke_agent support_agent") as root:
    root.set_attribute("gen_ai.operation.name", "invoke_agent")
    root.set_attribute("gen_ai.agent.name", "support_agent")
    root.set_attribute("gen_ai.conversation.id", "conv-7")
    while True:
        answer = client.chat.completions.create(model="gpt-4o-mini", messages=messages, tools=offered)
        message = answer.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            try:
                result = execute(call)
            except TimeoutError as error:
                result = f"TimeoutError: {error}"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
print(message.content)
