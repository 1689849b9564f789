"""An agent of the Claude Agent SDK with two tools of its own; it starts Claude Code below itself."""
import asyncio

import payments
from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, create_sdk_mcp_server, query, tool


@tool("lookup_order", "Looks an order up", {"order_id": str})
async def lookup_order(arguments):
    return {"content": [{"type": "text", "text": str(payments.lookup_order(**arguments))}]}


@tool("issue_refund", "Refunds an amount of an order", {"order_id": str, "amount": int})
async def issue_refund(arguments):
    try:
        return {"content": [{"type": "text", "text": str(payments.issue_refund(**arguments))}]}
    except TimeoutError as error:
        return {"content": [{"type": "text", "text": f"TimeoutError: {error}"}], "is_error": True}


async def main() -> None:
    server = create_sdk_mcp_server("payments", tools=[lookup_order, issue_refund])
    names = ["mcp__payments__lookup_order", "mcp__payments__issue_refund"]
    options = ClaudeAgentOptions(
        mcp_servers={"payments": server}, allowed_tools=names, setting_sources=[], model="claude-sonnet-4-5",
    )
    async for message in query(prompt="Order 4812 arrived broken, please refund it.", options=options):
        if isinstance(message, ResultMessage):
            print(message.result)


asyncio.run(main())
