-- What runs show about each tool of each agent, added up, with the latest place that shows it.
SELECT
    toString(agent) AS agent_name,
    argMax(toString(agent_version), listed_ns) AS version,
    toString(tupleElement(shown, 'tool')) AS tool_name,
    toString(tupleElement(shown, 'mark')) AS word,
    sum(tupleElement(shown, 'count')) AS total,
    uniqExact(run_id) AS run_count,
    argMax((run_id, tupleElement(shown, 'number'), lower(hex(tupleElement(shown, 'span_id')))), (listed_ns, run_id)) AS example
FROM runs FINAL
ARRAY JOIN marks AS shown
WHERE project = {project:String}
  AND listed_ns >= {from_ns:UInt64} AND received_ns >= {received_from_ns:UInt64}
  AND ({to_ns:UInt64} = 0 OR listed_ns < {to_ns:UInt64})
  AND ({agent:String} = '' OR agent = {agent:String})
  AND ({tool:String} = '' OR tupleElement(shown, 'tool') = {tool:String})
GROUP BY agent_name, tool_name, word
ORDER BY agent_name, tool_name, word
LIMIT {rows_max:UInt64}
