-- 4 to 64 reads and writes between two of all PEs within 500 ns, to one of 1024 places.
WITH RECURSIVE
  number(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM number WHERE i < 3 + CAST(61 * draw(:number, 4) AS INTEGER)),
  pe AS (
    SELECT sip, cube, pe, row_number() OVER (ORDER BY sip, cube, pe) - 1 AS place, count(*) OVER () AS pes
    FROM node WHERE kind = 'pe_dma'
  )
SELECT i AS id, CAST(500 * draw(:number, 10 + 6 * i) AS INTEGER) AS issue_ns,
       CASE WHEN draw(:number, 11 + 6 * i) < 0.5 THEN 'pe_read' ELSE 'pe_write' END AS op,
       format('sip%d.cube%d.pe%d', source.sip, source.cube, source.pe) AS src,
       hbm_address(target.sip, target.cube, target.pe, CAST(1024 * draw(:number, 12 + 6 * i) AS INTEGER) * 65536) AS dst,
       json_extract('[32, 256, 1024, 4096, 16384, 65536]', format('$[%d]', 6 * draw(:number, 13 + 6 * i))) AS bytes
FROM number
JOIN pe AS source ON source.place = CAST(source.pes * draw(:number, 14 + 6 * i) AS INTEGER)
JOIN pe AS target ON target.place = CAST(target.pes * draw(:number, 15 + 6 * i) AS INTEGER)
ORDER BY i;
