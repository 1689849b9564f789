"""An assistant agent of AutoGen that may use tools several times."""
import asyncio
import os

import payments
from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient


async def main() -> None:
    client = OpenAIChatCompletionClient(model="gpt-4o-mini", base_url=os.environ["SERVICES"] + "/v1", api_key="none")
    tools = [payments.lookup_order, payments.issue_refund]
    agent = AssistantAgent("support_agent", client, tools=tools, max_tool_iterations=5, reflect_on_tool_use=True)
    result = await agent.run(task="Order 4812 arrived broken, please refund it.")
    print(result.messages[-1].content)


asyncio.run(main())
