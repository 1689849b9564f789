"""A chat completion agent of Semantic Kernel with one plugin."""
import asyncio
import os

import payments
from openai import AsyncOpenAI
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import kernel_function


class Payments:
    lookup_order = staticmethod(kernel_function(payments.lookup_order))
    issue_refund = staticmethod(kernel_function(payments.issue_refund))


async def main() -> None:
    client = AsyncOpenAI(base_url=os.environ["SERVICES"] + "/v1", api_key="none")
    service = OpenAIChatCompletion(ai_model_id="gpt-4o-mini", async_client=client)
    agent = ChatCompletionAgent(service=service, name="support_agent", plugins=[Payments()])
    print(await agent.get_response("Order 4812 arrived broken, please refund it."))


asyncio.run(main())
