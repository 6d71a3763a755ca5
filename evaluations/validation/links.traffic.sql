-- Every PE of cube 0 writes 256 KiB to the PE of its number in cube 1, or every PE of cubes 0 and 1 of both SIPs 1 MiB to
-- its counterpart in the other SIP; all at time 0, in turn.
WITH RECURSIVE
  pe(p) AS (SELECT pe FROM node WHERE kind = 'pe_dma' AND sip = 0 AND cube = 0),
  pair(p, sip, cube, to_sip, to_cube) AS (
    SELECT p, 0, 0, 0, 1 FROM pe WHERE :link = 'ucie'
    UNION ALL
    SELECT p, sip, cube, 1 - sip, cube FROM pe, (SELECT 0 AS cube UNION SELECT 1), (SELECT 0 AS sip UNION SELECT 1)
    WHERE :link = 'switch'
  ),
  piece(place) AS (
    SELECT 0 UNION ALL
    SELECT place + :bytes FROM piece WHERE place + :bytes < CASE :link WHEN 'ucie' THEN 262144 ELSE 1048576 END
  )
SELECT row_number() OVER (ORDER BY place, p, cube, sip) - 1 AS id, 0 AS issue_ns, 'pe_write' AS op,
       format('sip%d.cube%d.pe%d', sip, cube, p) AS src, hbm_address(to_sip, to_cube, p, place) AS dst, :bytes AS bytes
FROM piece, pair
ORDER BY place, p, cube, sip;
