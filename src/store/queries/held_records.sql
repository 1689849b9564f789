-- How many records a hold keeps now: those of every trace that what it is on has to do with.
SELECT if({kind:String} = 'project', count(), uniqExactIf((trace_id, record_id), {kind:String} != 'project')) AS records
FROM steps
WHERE project = {project:String} AND $trace_in_scope
  AND ({kind:String} = 'project' OR trace_id GLOBAL IN (
      SELECT trace_id FROM mentions
      WHERE project = {project:String} AND {kind:String} = 'entity' AND entity IN {names:Array(String)}
      UNION ALL
      SELECT trace_id FROM run_traces
      WHERE project = {project:String} AND {kind:String} = 'run' AND run_id IN {names:Array(String)}
      UNION ALL
      SELECT arrayJoin(traces) AS trace_id FROM runs
      WHERE project = {project:String} AND run_id GLOBAL IN (
          SELECT run_id FROM entity_runs
          WHERE project = {project:String} AND {kind:String} = 'entity' AND entity IN {names:Array(String)}
          UNION ALL
          SELECT arrayJoin({names:Array(String)}) AS run_id WHERE {kind:String} = 'run')))
