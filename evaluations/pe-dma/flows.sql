-- Partitions of HBM by address.
CREATE TABLE hbm AS
WITH slice AS (SELECT *, hbm_address(sip, cube, pe, 0) AS first FROM node WHERE kind = 'hbm_ctrl')
SELECT id, format('sip%d.cube%d.pe%d', sip, cube, pe) AS owner, first,
       coalesce(lead(first) OVER (ORDER BY first), 1 << 62) AS behind
FROM slice;

-- Who moves with which partition.
CREATE TABLE flow AS
SELECT CAST(transfer.id AS INTEGER) AS number, op, src AS issuer, owner AS target, src || '.pe_dma' AS dma,
       hbm.id AS memory, bytes
FROM transfer JOIN hbm ON dst >= first AND dst < behind;

-- Wires with a bandwidth that the data of a flow takes, and its share when each gives all its flows the same.
CREATE TABLE wire AS
SELECT number AS flow, gbs, gbs / count(*) OVER (PARTITION BY edge.id) AS share_gbs
FROM flow,
     json_each(CASE op WHEN 'pe_read' THEN path_edges_back(dma, memory) ELSE path_edges(dma, memory) END) AS step
     JOIN edge ON edge.id = step.value
WHERE gbs > 0;

-- The time of the flow that would take longest alone, by parts of the machine; behind_first: how much later than its
-- first flit the last one comes.
CREATE TABLE part AS
WITH alone AS (
  SELECT number, name.value AS name,
         CASE op WHEN 'pe_read' THEN read_ns(dma, memory, bytes, name.value)
                 ELSE write_ns(dma, memory, bytes, name.value) END AS ns
  FROM flow, json_each('["pe", "mesh", "ucie", "fabric", "memory", "behind_first"]') AS name
)
SELECT name, round(ns, 6) AS ns FROM alone
WHERE number = (SELECT number FROM alone GROUP BY number ORDER BY round(sum(ns), 6) DESC, number LIMIT 1);
