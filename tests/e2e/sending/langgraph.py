"""An agent of LangChain on LangGraph. The node answers the model with the tool's error."""
import os

import payments
from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI


@wrap_tool_call
def tell_the_model(request, handler):
    """A tool's error is an answer."""
    try:
        return handler(request)
    except TimeoutError as error:
        return ToolMessage(f"TimeoutError: {error}", tool_call_id=request.tool_call["id"], status="error")


model = ChatOpenAI(model="gpt-4o-mini", base_url=os.environ["SERVICES"] + "/v1", api_key="none", max_retries=0)
tools = [tool(payments.lookup_order), tool(payments.issue_refund)]
agent = create_agent(model, tools, middleware=[tell_the_model], name="support_agent")
question = {"messages": [{"role": "user", "content": "Order 4812 arrived broken, please refund it."}]}
config = {"configurable": {"thread_id": "conv-7"}, "metadata": {"user_id": "u-3"}}
config["callbacks"] = globals().get("callbacks", [])
print(agent.invoke(question, config)["messages"][-1].content)
