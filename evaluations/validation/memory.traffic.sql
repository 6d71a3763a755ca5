-- Half load: each ns a read begins with the probability that makes 16 of 32 GB/s. Reads that are alone are 1 us apart,
-- all others begin at 0. A copy reads one half of the slice of 1 GiB and writes the other, in turn.
WITH RECURSIVE
  number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < CASE :scenario WHEN 'random reads at half load' THEN 99999 ELSE 16383 END),
  access AS (
    SELECT n, (1 << 30) / :bytes AS places, :scenario = 'copy (read and write alternate)' AS copies FROM number
    WHERE :scenario <> 'random reads at half load' OR draw(1, 2 * n) < 16.0 / :bytes
  )
SELECT n AS id,
       CASE :scenario WHEN 'random reads at half load' THEN n WHEN 'idle read' THEN 1000 * n ELSE 0 END AS issue_ns,
       CASE WHEN copies AND n % 2 = 1 THEN 'pe_write' ELSE 'pe_read' END AS op,
       'sip0.cube0.pe0' AS src,
       hbm_address(0, 0, 0, CASE WHEN copies THEN n / 2 * :bytes + n % 2 * (1 << 29)
                            WHEN :scenario = 'sequential reads' THEN n * :bytes
                            ELSE CAST(draw(1, 2 * n + 1) * places AS INTEGER) * :bytes END) AS dst,
       :bytes AS bytes
FROM access;
