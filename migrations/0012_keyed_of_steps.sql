-- Fills keyed as steps arrive.
CREATE MATERIALIZED VIEW IF NOT EXISTS {view:keyed_of_steps} TO {local:keyed} AS
SELECT project, key, tool, trace_id, span_id, carrier, record_id, received_ns, expires
FROM {local:steps}
WHERE key != ''
