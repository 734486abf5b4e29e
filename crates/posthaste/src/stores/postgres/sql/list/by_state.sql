-- Candidates among what is parked, for each state by `outbox_parked_state`. (A state is a range and not a value, so that no other index
-- is in this order. Each state has as many different messages as are wanted, or one that comes earlier could be left out.)
SELECT DISTINCT p.seq
FROM unnest($3::text[]) AS s (state) CROSS JOIN LATERAL (
    SELECT DISTINCT p.state, p.seq FROM outbox_parked AS p
    WHERE (p.state, p.seq) {beyond} (s.state, $1) AND p.state >= s.state AND p.state <= s.state AND ($4::text IS NULL OR p.destination = $4)
    ORDER BY p.state {direction}, p.seq {direction} LIMIT $2) AS p
ORDER BY p.seq {direction} LIMIT $2;
