if(multiSearchAny($text, ['\x1b[', 'u001b[', 'u001B[']), replaceRegexpAll($text, '(\\x1b|\\\\+u001[bB])\\[[0-9:\\x3b\\x3f]*[ -/]*[@-~]', ''), $text)
