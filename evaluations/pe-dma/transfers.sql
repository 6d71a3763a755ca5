-- What :scenario moves; every transfer has :bytes and begins at time 0.
WITH
  -- HBM partitions, and how far they are from PE 0 of cube 0.
  hbm AS (
    SELECT sip, cube, pe, path_ns('sip0.cube0.pe0.pe_dma', id) AS ns FROM node WHERE kind = 'hbm_ctrl'
  ),
  -- The other PEs of cube 0, and PE 0 of the other cubes: nearest and farthest first, ties by index.
  beside AS (
    SELECT pe, row_number() OVER (ORDER BY ns, pe) AS near, row_number() OVER (ORDER BY ns DESC, pe DESC) AS far
    FROM hbm WHERE sip = 0 AND cube = 0 AND pe > 0
  ),
  across AS (
    SELECT cube, row_number() OVER (ORDER BY ns, cube) AS near, row_number() OVER (ORDER BY ns DESC, cube DESC) AS far
    FROM hbm WHERE sip = 0 AND cube > 0 AND pe = 0
  ),
  hot(issuers) AS (VALUES (1), (2), (3)),
  -- Which PE of SIP 0 moves to or from whose partition, those with the least `place` first.
  flow(scenario, place, cube, pe, to_sip, to_cube, to_pe) AS (
    SELECT 'SAME_CUBE_PE_LOCAL', 0, 0, 0, 0, 0, 0
    UNION ALL SELECT 'SAME_CUBE_PE_REMOTE_BEST', 0, 0, 0, 0, 0, pe FROM beside WHERE near = 1
    UNION ALL SELECT 'SAME_CUBE_PE_REMOTE_WORST', 0, 0, 0, 0, 0, pe FROM beside WHERE far = 1
    UNION ALL SELECT 'REMOTE_CUBE_PE_REMOTE_BEST', 0, 0, 0, 0, cube, 0 FROM across WHERE near = 1
    UNION ALL SELECT 'REMOTE_CUBE_PE_REMOTE_WORST', 0, 0, 0, 0, cube, 0 FROM across WHERE far = 1
    UNION ALL SELECT 'REMOTE_SIP', 0, 0, 0, 1, 0, 0
    UNION ALL SELECT 'ctrl_hot_' || issuers, near, 0, pe, 0, 0, 0 FROM beside JOIN hot ON near <= issuers
    UNION ALL SELECT 'ucie_eastbound', 0, 0, pe, 0, 1, pe FROM hbm WHERE sip = 0 AND cube = 0
    UNION ALL SELECT 'all_pe_cube0_to_pe0', 0, 0, pe, 0, 0, 0 FROM hbm WHERE sip = 0 AND cube = 0
    UNION ALL SELECT 'sip_local_all', 0, cube, pe, 0, cube, pe FROM hbm WHERE sip = 0
    UNION ALL SELECT 'sip_hotspot_pe0', 0, cube, pe, 0, 0, 0 FROM hbm WHERE sip = 0
  ),
  -- Transfers into one partition are one behind the other in it.
  placed AS (
    SELECT *, row_number() OVER (ORDER BY place, cube, pe) - 1 AS number,
           :bytes * (row_number() OVER (PARTITION BY to_sip, to_cube, to_pe ORDER BY place, cube, pe) - 1) AS offset
    FROM flow WHERE scenario = :scenario
  )
SELECT number AS id, 0 AS issue_ns, 'pe_' || :direction AS op, format('sip0.cube%d.pe%d', cube, pe) AS src,
       hbm_address(to_sip, to_cube, to_pe, offset) AS dst, :bytes AS bytes
FROM placed ORDER BY number
