-- Accesses of the pseudo-channels 0 and 1 of four. Reads that are alone are 1 us apart; at a share of the load, each ns a
-- read begins with the probability that makes this share of 32 GB/s; copies and mixes begin at 32 GB/s, all else at 0.
-- Rows of one bank are 16 KiB apart in a pseudo-channel. A copy reads one half of it and writes the other.
WITH RECURSIVE
  number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < CASE WHEN :share = 0 THEN 16383 ELSE 99999 END),
  access AS (
    SELECT n, CASE WHEN :scenario IN ('sequential reads', 'copy', 'random reads of one bank') THEN n % 2
              ELSE draw(3, n) < 0.5 END AS pc,
           CASE :scenario WHEN 'copy' THEN n / 2 % 2 WHEN 'random reads and writes' THEN draw(2, n) < 0.5
           ELSE 0 END AS writes, draw(1, 2 * n + 1) AS place
    FROM number WHERE :share = 0 OR draw(1, 2 * n) < :share * 32 / :bytes
  ),
  placed AS (
    SELECT *, CASE :scenario WHEN 'sequential reads' THEN n / 2 * :bytes WHEN 'copy' THEN n / 4 * 256 + writes * (1 << 28)
              WHEN 'random reads of one bank' THEN CAST(place * (1 << 15) AS INTEGER) * (1 << 14)
              ELSE CAST(place * ((1 << 29) / :bytes) AS INTEGER) * :bytes END AS at
    FROM access
  )
SELECT n AS id,
       CASE WHEN :scenario IN ('copy', 'random reads and writes') THEN n * :bytes / 32.0
            WHEN :scenario = 'idle read' THEN 1000 * n WHEN :share = 0 THEN 0 ELSE n END AS issue_ns,
       CASE writes WHEN 1 THEN 'pe_write' ELSE 'pe_read' END AS op,
       'sip0.cube0.pe0' AS src,
       hbm_address(0, 0, 0, (at / 256 * 4 + pc) * 256 + at % 256) AS dst,
       :bytes AS bytes
FROM placed;
