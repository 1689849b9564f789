"""An agent of Google ADK. A tool that raises ends the run, so this one answers with the error, as ADK advises."""
import asyncio
import os

import payments
from google.adk.agents import Agent
from google.adk.models.google_llm import Gemini
from google.adk.runners import InMemoryRunner
from google.genai import types


def issue_refund(order_id: str, amount: int) -> dict:
    """Refunds an amount of an order."""
    try:
        return payments.issue_refund(order_id, amount)
    except TimeoutError as error:
        return {"error": f"TimeoutError: {error}"}


async def main() -> None:
    os.environ["GOOGLE_API_KEY"] = "none"
    model = Gemini(model="gemini-2.5-flash", base_url=os.environ["SERVICES"])
    agent = Agent(name="support_agent", model=model, tools=[payments.lookup_order, issue_refund])
    runner = InMemoryRunner(agent, app_name="support")
    await runner.session_service.create_session(app_name="support", user_id="u-3", session_id="conv-7")
    said = types.Content(role="user", parts=[types.Part(text="Order 4812 arrived broken, please refund it.")])
    async for event in runner.run_async(user_id="u-3", session_id="conv-7", new_message=said):
        if event.is_final_response():
            print(event.content.parts[0].text)
    await runner.close()


asyncio.run(main())
