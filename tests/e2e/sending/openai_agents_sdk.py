"""An agent of the OpenAI Agents SDK, over chat completions."""
import os

import payments
from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner, function_tool
from openai import AsyncOpenAI

client = AsyncOpenAI(base_url=os.environ["SERVICES"] + "/v1", api_key="none")
agent = Agent(
    name="support_agent",
    instructions="You are support.",
    model=OpenAIChatCompletionsModel("gpt-4o-mini", client),
    tools=[function_tool(payments.lookup_order), function_tool(payments.issue_refund)],
)
config = RunConfig(group_id="conv-7")
print(Runner.run_sync(agent, "Order 4812 arrived broken, please refund it.", run_config=config).final_output)
