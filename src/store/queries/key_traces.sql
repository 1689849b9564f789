-- Where keys were used: each key with each trace.
SELECT DISTINCT key, trace_id
FROM keyed
WHERE project = {project:String} AND key IN {keys:Array(String)}
