-- What was erased: all of it, or by one erasure.
SELECT DISTINCT trace_id, toString(what) AS what, id, leaf_hash
FROM erased
WHERE {erasure_id:String} = '' OR erasure_id = {erasure_id:String}
ORDER BY what, id, leaf_hash
