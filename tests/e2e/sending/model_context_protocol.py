"""A client and a server of FastMCP in one process: only the tool calls, no model."""
import asyncio

import payments
from fastmcp import Client, FastMCP

server = FastMCP("payments")
server.tool(payments.lookup_order)
server.tool(payments.issue_refund)


async def main() -> None:
    async with Client(server) as client:
        await client.call_tool("lookup_order", {"order_id": "4812"})
        for _ in range(2):
            answer = await client.call_tool("issue_refund", {"order_id": "4812", "amount": 20}, raise_on_error=False)
    print(answer)


asyncio.run(main())
