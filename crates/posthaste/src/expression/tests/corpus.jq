# Expressions that have to mean here what they mean in jq, one in each line.
.
.id
.amount > 10
.amount > 10 and .currency == "EUR"
.amount // 0
.note // "none"
.lines | length
.lines[0].sku
.lines[-1].n
[.lines[]?.n]
.lines | map(.n) | add
map(. + 1)
map(select(. > 1))
[.[] | select(type == "number")]
{id, amount}
{id: .id, total: (.amount * 2)}
{(.currency): .amount}
objects | with_entries(select(.value != null))
with_entries(.key |= ascii_upcase)
to_entries
from_entries
keys
length
type
not
add
sort
sort_by(.n)
group_by(. > 1)
unique
min
max
any
all
flatten
first
last
.[1:]
.[:-1]
.[0]
has("id")
has(0)
contains({id: 7})
contains([1])
inside([1,2,3])
indices(1)
tojson
tojson | fromjson
tostring
tonumber
ascii_downcase
ascii_upcase
explode
explode | implode
startswith("order.")
endswith("paid")
ltrimstr("order.")
rtrimstr(".paid")
split(",")
split(", *"; null)
join("-")
test("^order\\.")
test("A"; "i")
[match("[a-z]"; "g").string]
capture("(?<kind>[a-z]+)\\.(?<what>[a-z]+)")
sub("order"; "invoice")
gsub("[,.]"; ";")
[scan("[a-c]")]
@base64
@base64 | @base64d
@uri
@html
@json
@text
@csv
@tsv
@sh
"\(.id): \(.amount)"
"\(.)"
.a.b.c
.a = 1
.a.b = 1
.a |= . + 1
.lines[0].n |= . + 1
.lines[].n |= . * 2
.lines |= map(select(.n > 0))
.amount += 1
.note //= "x"
del(.note)
del(.lines[0])
del(.lines[] | select(.n == 0))
delpaths([["id"],["note"]])
paths
[paths]
[paths(type == "number")]
[leaf_paths]
getpath(["lines",0,"sku"])
setpath(["a","b"]; 1)
path(.lines[0].sku)
to_entries | map(.key)
reduce .[]? as $x (0; . + 1)
[foreach range(5) as $i (0; . + $i)]
[range(5)]
[range(2; 5)]
[range(0; 10; 3)]
[limit(2; .[]?)]
[first(range(5)), last(range(5))]
[.[]?, 1]
try error("x") catch .
.[]? // "empty"
if . == null then "nothing" elif type == "object" then "object" else "other" end
if .amount then .amount else 0 end
. as $x | [$x, $x]
.lines as [$a, $b] | [$a, $b]
. as {id: $i, amount: $a} | [$i, $a]
def double: . * 2; [1, 2] | map(double)
def fac: if . <= 1 then 1 else . * (. - 1 | fac) end; [range(1; 6) | fac]
[recurse | numbers]
[..]
[.. | strings]
walk(if type == "number" then . + 1 else . end)
map_values(. + 1)
[splits(", *")]
todate
"2026-11-17T10:00:00Z" | fromdate
1763373600 | todate
1763373600 | strftime("%Y-%m-%d")
"2026-11-17" | strptime("%Y-%m-%d") | mktime
1 + null
null + 1
"a" + "b"
[1,2] - [2]
{a: 1} + {b: 2}
{a: {b: 1}} * {a: {c: 2}}
"ab" * 2
"a,b" / ","
10 / 4
10 % 3
-1 % 3
5 % 0
[1, [2]] | flatten
[[1, 2], [3, 4]] | transpose
[1, 2] | combinations(2)
[[1, 2], [3, 4]] | [combinations]
{} | .a += 1
{} | .["a", "b"] = 1
[1, null, 2] | map(values)
[3, 1, 2] | sort_by(-.)
[{"a": 1, "b": 2}, {"a": 1, "b": 3}] | group_by(.a) | map(length)
[{"a": 1}, {"a": 1}] | unique_by(.a)
[{"a": 2}, {"a": 1}] | min_by(.a), max_by(.a)
[true, false] | any, all
[1, 2, 3] | .[1:] = [9]
[1, 2, 3] | index(2)
"a" | ascii_downcase | @json
[.[]? | tostring] | join(",")
{"a": 1} | has("a", "b")
3.0
100000000000000000000
0.1 + 0.2
[floor, sqrt]?
1.7 | floor, ceil, round
-1.5 | fabs, floor
[1, 2] == [1, 2.0]
null < false, false < 0, 0 < "", "" < [], [] < {}
"é😀" | length, utf8bytelength, explode
"\u00e9" | @uri
{"a": [1, {"b": 2}]} | [paths(..)]
[1, 2, 3] | to_entries
{"b": 1, "a": 2} | keys, keys_unsorted
{"b": 1, "a": 2} | tojson
splits("a")
ltrimstr(1)
tojson | length
.[] += 1
.. | numbers
[.[] | . as [$a] | $a]
[limit(3; repeat(1))]
[until(. > 100; . * 2)]?
[.[]? | if . > 1 then "big" else "small" end]
getpath(["a", "b"])
to_entries[]
isempty(empty)
nth(1)
first(empty)
"x" as $x | "y" as $y | [$x, $y]
[.[]?] | length > 0
(.a, .b) = 1
.a[1:3] = ["x"]
tojson | test("a")
[match("(a)|(b)"; "g") | .captures | map(.string)]
ascii_downcase == "order.paid"
[3, 1, 2] | reverse
"a,b" | index(",")
. as $x | try (1 / ($x | 0)) catch "no"
[1, 1.5] | map(tostring)
try error("x") catch .
del(.a.b.c)
del(.lines[0, 1])
del(.lines[:1])
del(.. | numbers)
delpaths([])
[1, 2, 3, 4] | del(.[0, 2])
objects | with_entries(.value |= tostring)
IN(5, null)
IN(.[]?; 1, 2)
INDEX(.lines[]?; .sku)
objects | .lines? // [] | INDEX(.sku)
[recurse_down]
