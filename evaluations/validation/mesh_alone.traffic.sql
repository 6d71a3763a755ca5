WITH RECURSIVE pair(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM pair WHERE n < 255)
SELECT n AS id, n * 1000 AS issue_ns, 'pe_write' AS op, format('sip0.cube0.pe%d', n / 16) AS src,
       hbm_address(0, 0, n % 16, 0) AS dst, :bytes AS bytes
FROM pair;
