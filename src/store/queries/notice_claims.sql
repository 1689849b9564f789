-- Of each message to a webhook that was claimed since then: the last claim.
SELECT case_id, episode, toString(kind) AS kind, turn, server, at_ns
FROM notice_claims FINAL
WHERE project = {project:String} AND endpoint = {endpoint:String} AND at_ns >= {from_ns:UInt64}
  AND ({case_id:String} = '' OR case_id = {case_id:String})
ORDER BY case_id, episode, kind, turn DESC
LIMIT 1 BY case_id, episode, kind
