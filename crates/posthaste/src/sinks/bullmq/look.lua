-- What became of jobs; reads only.
--
-- KEYS: the queue's meta, so that a cluster knows the node. The names of all other keys start alike.
-- ARGV: what the names of keys start with; the ids of the jobs.
-- Answers for each job: completed, failed, gone or under-way; what its worker said; its stack traces.
local answers = {}
for n = 2, #ARGV do
  local there = redis.call('EXISTS', ARGV[1] .. ARGV[n]) == 1
  answers[n - 1] = there and (finished(ARGV[1], ARGV[n]) or { 'under-way', '', '' }) or { 'gone', '', '' }
end
return answers
