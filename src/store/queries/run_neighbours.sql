-- The runs beside a place in a list: the nearest newer one and the nearest older one.
SELECT run_id, name, side
FROM (
    SELECT run_id, name, 'newer' AS side
    FROM runs FINAL
    WHERE $filter AND (listed_ns, run_id) > ({at_ns:UInt64}, {at_id:String})
    ORDER BY listed_ns, run_id
    LIMIT 1
    UNION ALL
    SELECT run_id, name, 'older' AS side
    FROM runs FINAL
    WHERE $filter AND (listed_ns, run_id) < ({at_ns:UInt64}, {at_id:String})
    ORDER BY listed_ns DESC, run_id DESC
    LIMIT 1
)
