-- The views that somebody has in a project: their own, and those that others share.
SELECT view_id, at_ns, name, page, query, owner, shared
FROM (
    SELECT view_id, at_ns, name, toString(page) AS page, query, owner, shared, removed
    FROM views
    WHERE project = {project:String}
    ORDER BY view_id, at_ns DESC
    LIMIT 1 BY view_id
)
WHERE NOT removed AND (owner = {owner:String} OR (shared AND {limited:UInt8} = 0))
ORDER BY lowerUTF8(name), view_id
