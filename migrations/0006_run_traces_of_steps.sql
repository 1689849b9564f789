-- Fills run_traces as steps arrive.
CREATE MATERIALIZED VIEW IF NOT EXISTS {view:run_traces_of_steps} TO {local:run_traces} AS
SELECT DISTINCT project, run_id, trace_id, expires
FROM {local:steps}
WHERE run_id != ''
