-- The words of bodies, in any case and form, whatever they are joined by. What JSON writes as escapes (a new line before a word,
-- any letter beyond ASCII) is opened, also in JSON within JSON. An expression, not a preprocessor: parts without
-- the index give the same answer, only later.
ALTER TABLE {sharded:contents} ADD INDEX IF NOT EXISTS said translate(lowerUTF8(normalizeUTF8NFC(if(position(body, '\\') = 0, body, concat(body, ' ', arrayStringConcat(extractAll(body, '\\\\[bfnrt]([[:alnum:]_]+)'), ' '), ' ', if(position(body, '\\u') = 0, '', JSONExtractRaw(replaceRegexpAll(body, '\\\\+u([0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F])', '\\\\u\\1'))))))), '_.:''', '    ') TYPE text(tokenizer = 'asciiCJK')
