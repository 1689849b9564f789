//! ClickHouse: the only room that knows a column name or speaks SQL.
