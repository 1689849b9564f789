project = {project:String}
  AND $run_in_scope
  AND ({from_ns:UInt64} = 0 OR (listed_ns >= {from_ns:UInt64} AND received_ns >= {received_from_ns:UInt64}))
  AND ({to_ns:UInt64} = 0 OR listed_ns < {to_ns:UInt64})
  AND ({run:String} = '' OR run_id = {run:String})
  AND ({agent:String} = '' OR agent = {agent:String})
  AND tupleElement(found, 'from_ns') <= {now_ns:UInt64}
  AND (tupleElement(found, 'until_ns') = 0 OR tupleElement(found, 'until_ns') > {now_ns:UInt64})
  AND (empty({codes:Array(String)}) OR has({codes:Array(String)}, tupleElement(found, 'code')))
  AND ({tool:String} = '' OR has(tupleElement(found, 'tools'), {tool:String}))
