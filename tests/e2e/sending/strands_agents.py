"""An agent of Strands, over the OpenAI wire."""
import os

import payments
from strands import Agent, tool
from strands.models.openai import OpenAIModel

model = OpenAIModel(
    client_args={"base_url": os.environ["SERVICES"] + "/v1", "api_key": "none"}, model_id="gpt-4o-mini"
)
agent = Agent(
    name="support_agent",
    model=model,
    tools=[tool(payments.lookup_order), tool(payments.issue_refund)],
    trace_attributes={"session.id": "conv-7"},
    callback_handler=None,
)
print(agent("Order 4812 arrived broken, please refund it."))
