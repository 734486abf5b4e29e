-- What became of a job: its state, why it failed, and its stack traces. Nothing for one that is neither completed nor failed.
local function finished(base, id)
  if redis.call('ZSCORE', base .. 'completed', id) then return { 'completed', '', '' } end
  if not redis.call('ZSCORE', base .. 'failed', id) then return nil end
  local job = redis.call('HMGET', base .. id, 'failedReason', 'stacktrace')
  return { 'failed', job[1] or '', job[2] or '' }
end
