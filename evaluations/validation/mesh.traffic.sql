-- Each ns each of 16 PEs begins a packet with the probability that makes :load flits per ns, as BookSim2 does: to a PE
-- and to one of 16384 places there that are drawn uniformly.
WITH RECURSIVE
  slot(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM slot WHERE n < 12000 * 16 - 1),
  packet AS (SELECT n, n / 16 AS ns, n % 16 AS pe FROM slot WHERE draw(1, 3 * n) < :load * 256.0 / :bytes)
SELECT n AS id, ns AS issue_ns, 'pe_write' AS op, format('sip0.cube0.pe%d', pe) AS src,
       hbm_address(0, 0, CAST(draw(1, 3 * n + 1) * 16 AS INTEGER), CAST(draw(1, 3 * n + 2) * 16384 AS INTEGER) * :bytes) AS dst,
       :bytes AS bytes
FROM packet;
