"""An agent of pydantic-ai. A tool's error reaches the model only as ModelRetry; anything else ends the run."""
import os

from payments import issue_refund, lookup_order
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

model_provider = OpenAIProvider(base_url=os.environ["SERVICES"] + "/v1", api_key="none")
agent = Agent(OpenAIChatModel("gpt-4o-mini", provider=model_provider), name="support_agent", instructions="You are support.")
agent.tool_plain(lookup_order)


@agent.tool_plain(name="issue_refund", retries=2)
def refund(order_id: str, amount: int) -> dict:
    """Refunds an amount of an order."""
    try:
        return issue_refund(order_id, amount)
    except TimeoutError as error:
        raise ModelRetry(f"TimeoutError: {error}") from error


print(agent.run_sync("Order 4812 arrived broken, please refund it.", conversation_id="conv-7").output)
