"""Code graphs: what a commit's files define, and which call means which definition, by their syntax alone.

`importer` reads a commit; `source` is what every language says of one file; `calls` resolves it, the same way for all;
`languages` is the list of them, each a module of its own (`python`, `go`, `ecmascript`). A language more is a module
with the members of `languages.Language` and a row there.
"""
