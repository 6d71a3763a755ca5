-- 16384 accesses of one PE to its own HBM slice, all at time 0: in sequence, at random or at a pitch, as
-- device/hbm_and_kernels.py makes them. :number is their bytes; with a pitch they have 64 B, and it is the pitch.
WITH RECURSIVE
  number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 16383),
  kind AS (
    SELECT CASE WHEN :scenario LIKE '%pitch' THEN 64 ELSE :number END AS bytes,
           CASE :scenario WHEN 'sequential writes' THEN 1 WHEN 'sequential, half of the blocks written' THEN 0.5 ELSE 0 END
             AS written
  ),
  access AS (SELECT n, bytes, written, (1 << 30) / bytes AS blocks, :number / bytes * n AS pitched FROM number, kind)
SELECT n AS id, 0 AS issue_ns, CASE WHEN draw(2, n) < written THEN 'pe_write' ELSE 'pe_read' END AS op,
       'sip0.cube0.pe0' AS src,
       hbm_address(0, 0, 0, bytes * CASE WHEN :scenario LIKE 'sequential%' THEN n
                                         WHEN :scenario LIKE '%pitch' THEN (pitched + pitched / blocks) % blocks
                                         ELSE CAST(draw(1, n) * blocks AS INTEGER) END) AS dst,
       bytes
FROM access;
