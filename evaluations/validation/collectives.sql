-- What algorithms take: `steps` messages one after the other, and `blocks` times a rank's size through its wire. In parts
-- (van de Geijn 1994): each rank gets a part and sends it to the others, or combines one; of blocks, each rank combines
-- one (Thakur, Rabenseifner, Gropp 2005). Two steps go on at the same time when messages are short enough.
CREATE TABLE algorithm AS
WITH
  had AS (
    SELECT DISTINCT workload, ranks, CASE WHEN ranks <= 2 THEN 1 WHEN ranks <= 4 THEN 2 WHEN ranks <= 8 THEN 3 ELSE 4 END AS log2
    FROM collective
  )
SELECT workload, ranks, 'straight to the other' AS name, 1 AS steps, 1.0 AS blocks FROM had WHERE workload = 'ccl-send-recv'
UNION ALL
SELECT workload, ranks, 'straight to all', 1, ranks - 1.0 FROM had WHERE workload <> 'ccl-send-recv'
UNION ALL
SELECT workload, ranks, 'tree', log2, log2 FROM had WHERE workload IN ('ccl-broadcast', 'ccl-reduce')
UNION ALL
SELECT workload, ranks, 'parts', 2, 1.0 FROM had WHERE workload IN ('ccl-broadcast', 'ccl-reduce') AND ranks > 2
UNION ALL
SELECT workload, ranks, 'blocks', 2, 2 * (ranks - 1.0) / ranks FROM had WHERE workload LIKE 'ccl-allreduce%' AND ranks > 2;

-- Time = t0 + steps x alpha + bytes / the narrowest wire. Of SIPs: alpha is what another SIP on the way of one element
-- adds, slots and credits included, and t0 what is left of one element to the next SIP. Of PEs of a cube: alpha is one
-- element to the farthest PE, and t0 nothing. `least` lets the steps go on at the same time, `bound` does not.
CREATE TABLE bound AS
WITH
  start AS (
    SELECT (SELECT max(time_ns) FROM starts_cube) AS in_cube,
           max(time_ns) FILTER (WHERE target = 2) - max(time_ns) FILTER (WHERE target = 1 AND exchange = 'path') AS alpha,
           max(time_ns) FILTER (WHERE exchange = 'auto') AS one
    FROM starts
  ),
  run AS (
    SELECT point, machine, sips, workload, n_elem, time_ns, gbs, 1 AS part FROM collectives WHERE status = 'ok'
    UNION ALL
    SELECT point, machine, sips, workload, 524288, time_ns, gbs, 2 FROM collectives_long WHERE status = 'ok'
  ),
  cost AS (
    SELECT part, point, scenario, name, 2 * n_elem AS size, time_ns, steps, blocks * 2 * n_elem / gbs AS wire,
           CASE machine WHEN 'machines/cube8.yaml' THEN in_cube ELSE alpha END AS alpha,
           CASE machine WHEN 'machines/cube8.yaml' THEN 0 ELSE one - alpha END AS t0
    FROM run JOIN collective USING (machine, sips, workload) JOIN algorithm USING (workload, ranks) CROSS JOIN start
  )
SELECT part, point, scenario, size, time_ns, name AS algorithm, min(t0 + steps * alpha + wire) AS bound,
       (SELECT min(least.t0 + least.alpha + max((least.steps - 1) * least.alpha, least.wire)) FROM cost AS least
        WHERE least.part = cost.part AND least.point = cost.point) AS least
FROM cost GROUP BY part, point;

CREATE TABLE measured_collectives AS
SELECT 'collectives' AS section, scenario, 'bytes' AS parameter, size AS parameter_value, 'latency' AS quantity,
       time_ns AS value, 'ns' AS unit, algorithm AS source, bound AS beside, 0.999 * least AS low,
       CASE WHEN size < 65536 THEN 1.5 ELSE 1.3 END * bound AS high, NULL AS deviation
FROM bound ORDER BY part, point;
