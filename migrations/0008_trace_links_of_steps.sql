-- Fills trace_links as steps arrive.
CREATE MATERIALIZED VIEW IF NOT EXISTS {view:trace_links_of_steps} TO {local:trace_links} AS
SELECT DISTINCT project, pair.1 AS trace_id, pair.2 AS other_trace_id, expires
FROM (
    SELECT
        project, expires, trace_id AS own_trace_id,
        arrayJoin(arrayMap(link -> link.trace_id, arrayFilter(
            link -> has(splitByChar('+', dialect), 'autogen')
                OR arrayExists(attribute -> attribute.key = 'recount.link.same_run', link.attributes),
            links
        ))) AS linked_trace_id,
        arrayJoin([(own_trace_id, linked_trace_id), (linked_trace_id, own_trace_id)]) AS pair
    FROM {local:steps}
    WHERE notEmpty(links)
)
WHERE own_trace_id != linked_trace_id
