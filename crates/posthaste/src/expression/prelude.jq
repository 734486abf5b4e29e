# What jq has and jaq has not, or has otherwise.

def ascii: [.] | implode;
def toarray: if isarray then . else [.] end;
def isvalid(f): try (f | true) catch false;
def ltrimstr($affix): if isstring and ($affix | isstring) and startswith($affix) then .[($affix | length):] end;
def rtrimstr($affix):
  if isstring and ($affix | isstring) and endswith($affix) and $affix != "" then .[:length - ($affix | length)] end;

def recurse_down: recurse;
def IN(values): any(values == .; .);
def IN(some; values): any(some == values; .);
def INDEX(rows; name): reduce rows as $row ({}; .[$row | name | tostring] |= $row);
def INDEX(name): INDEX(.[]; name);

# Names and values of fields as other tools write them.
def entry_name:
  [.key, .k, .name, .Name, .K, .Key] | map(select(. != null and . != false)) | .[0]
  | if isstring then . elif . == null then "null" else tojson end;
def entry_value: if has("value") then .value elif has("v") then .v elif has("Value") then .Value else .V end;
def from_entries: reduce .[] as $entry ({}; .[$entry | entry_name] = ($entry | entry_value));
def with_entries(f): to_entries | map(f) | from_entries;

def joined: if . == null then "" elif . < [] then tostring else error("arrays and objects cannot be joined") end;
def join($separator):
  if . == null then error("null cannot be joined") elif length == 0 then "" else
    reduce .[1:][] as $item (.[0] | joined; . + $separator + ($item | joined))
  end;

def flatten:
  if . >= [] then [.[] | recurse(arrays[]) | select(isarray | not)] else error("only an array can be flattened") end;

def leaf_paths: paths(scalars);
def delpaths($paths): reduce ($paths | unique | .[length - 1 - range(length)]) as $path (.; without($path));
def del(f): delpaths([path(f)]);

# Lines of tables.
def cell(text): if isnumber or isboolean then tojson elif . == null then "" elif isstring then text
  else error("a cell of a table is no array and no object") end;
def row: if isarray then . else error("a line of a table is an array") end;
def @csv: row | map(cell("\"" + gsub("\""; "\"\"") + "\"")) | join(",");
def @tsv: row | map(cell(gsub("\\\\"; "\\\\") | gsub("\t"; "\\t") | gsub("\n"; "\\n") | gsub("\r"; "\\r"))) | join("\t");
