"""An agent of Microsoft Agent Framework, over chat completions."""
import asyncio
import os

import payments
from agent_framework import Agent
from agent_framework.openai import OpenAIChatCompletionClient


async def main() -> None:
    client = OpenAIChatCompletionClient("gpt-4o-mini", base_url=os.environ["SERVICES"] + "/v1", api_key="none")
    agent = Agent(client, name="support_agent", tools=[payments.lookup_order, payments.issue_refund])
    print(await agent.run("Order 4812 arrived broken, please refund it."))


asyncio.run(main())
