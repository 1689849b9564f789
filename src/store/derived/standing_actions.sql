SELECT owner, key, toString(tool) AS tool, precedence
FROM actions FINAL
WHERE project = {project:String}
  AND (owner IN {owners:Array(String)} OR (owner = '' AND key IN {keys:Array(String)}))
