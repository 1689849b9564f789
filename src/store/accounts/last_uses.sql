-- When keys were last used.
SELECT id, max(used_ns) AS used_ns FROM last_uses GROUP BY id ORDER BY id
