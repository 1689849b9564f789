-- Fills mentions as steps arrive.
CREATE MATERIALIZED VIEW IF NOT EXISTS {view:mentions_of_steps} TO {local:mentions} AS
SELECT
    project,
    arrayJoin(arrayDistinct(arrayConcat(
        arrayMap(entity -> concat(entity.kind, ':', entity.id), entities),
        if(position(target, ':') > 1, [target], [])
    ))) AS entity,
    trace_id, span_id, carrier, record_id, kind, received_ns, started_ns, expires
FROM {local:steps}
WHERE notEmpty(entities) OR position(target, ':') > 1
