-- From a trace to its leaves without reading all of them.
ALTER TABLE {table:leaves} ADD INDEX IF NOT EXISTS leaves_of_traces trace_id TYPE bloom_filter(0.001) GRANULARITY 1
