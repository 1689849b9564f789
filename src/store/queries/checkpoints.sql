-- Signed states of the log: of each log the newest ones, up to a size.
SELECT log_id, size, at_ns, note
FROM checkpoints
WHERE ({log_id:String} = '' OR log_id = toFixedString(unhex({log_id:String}), 16))
  AND ({size_max:UInt64} = 0 OR size <= {size_max:UInt64})
ORDER BY at_ns DESC, size DESC
LIMIT 1 BY log_id, size
LIMIT {rows_max:UInt64}
