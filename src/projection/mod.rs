//! After an insert: folds the touched runs and keys and writes the derived tables.
