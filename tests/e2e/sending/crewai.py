"""A crew of one agent with one task."""
import os

import payments
from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool

lookup_order = tool("lookup_order")(payments.lookup_order)
issue_refund = tool("issue_refund")(payments.issue_refund)
llm = LLM(model="openai/gpt-4o-mini", base_url=os.environ["SERVICES"] + "/v1", api_key="none")
agent = Agent(role="support_agent", goal="Help", backstory="You are support.", llm=llm, tools=[lookup_order, issue_refund])
task = Task(description="Order 4812 arrived broken, please refund it.", expected_output="An answer", agent=agent)
print(Crew(agents=[agent], tasks=[task]).kickoff())
