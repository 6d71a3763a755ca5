-- For 50 us a PE reads 64 B at random from its own HBM slice, :load percent of its peak: each 0.25 ns a read begins with
-- the probability that makes them. Every 100 ns a read of 32 B is added, whose latency is measured.
WITH RECURSIVE
  slot(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM slot WHERE n < 199999),
  peak(gbs) AS (
    SELECT channels.value * rate.value FROM machine AS channels, machine AS rate
    WHERE channels.key = 'cube.memory_map.hbm_channels_per_pe' AND rate.key = 'cube.memory_map.hbm_channel_bw_gbs'
  ),
  access AS (
    SELECT n, 0.25 * n AS issue_ns, 64 AS bytes FROM slot, peak WHERE draw(1, 2 * n) < :load / 100 * gbs * 0.25 / 64
    UNION ALL
    SELECT 200000 + n, 1000 + 100 * n, 32 FROM slot WHERE n < 490
  )
SELECT n AS id, issue_ns, 'pe_read' AS op, 'sip0.cube0.pe0' AS src,
       hbm_address(0, 0, 0, CAST(draw(1, 2 * n + 1) * ((1 << 30) / bytes) AS INTEGER) * bytes) AS dst, bytes
FROM access;
