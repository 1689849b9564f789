-- Which of some actions have a line.
SELECT key, tool
FROM actions FINAL
WHERE project = {project:String} AND key IN {keys:Array(String)}
