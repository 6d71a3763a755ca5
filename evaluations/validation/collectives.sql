-- Joined into tables.sql before `measured`, which then also has: UNION ALL SELECT * FROM measured_collectives. In
-- evaluation.yaml:
--   sweeps: { collectives: collectives.yaml }
--   data: { collective: collectives.csv }
--   figures:
--     - name: validation_collectives
--       script: collectives.gp
--       height: 620
--       texts: |
--         SELECT 'Alpha-beta time: starts x latency of a path between neighbours + bytes / its narrowest wire + additions; slots '
--                || 'cost nothing there.' AS note
--       data:
--         scenario: |
--           SELECT scenario FROM collective WHERE scenario IN (SELECT scenario FROM measured_collectives) ORDER BY rowid
--         curve: |
--           SELECT parameter_value, collective.rowid, value / beside FROM measured_collectives JOIN collective USING (scenario)
--           ORDER BY collective.rowid, parameter_value
--         size: |
--           SELECT DISTINCT parameter_value, format('%g KiB', parameter_value / 1024.0) FROM measured_collectives
--           ORDER BY parameter_value
-- Collectives beside alpha-beta times. An element has 2 bytes; below 16 KiB messages wait for slots and credits, which
-- a start does not have.
CREATE TABLE measured_collectives AS
WITH
  run AS (
    SELECT point, 2 * n_elem AS size, time_ns, one.*,
           starts * alpha_ns + one.bytes * 2 * n_elem / gbs + added * n_elem / elements_per_ns AS bound
    FROM collectives JOIN collective AS one USING (machine, workload, options)
    WHERE status = 'ok'
  )
SELECT 'collectives' AS section, scenario, 'bytes' AS parameter, size AS parameter_value, 'latency' AS quantity,
       time_ns AS value, 'ns' AS unit, 'alpha-beta time' AS source, bound AS beside, lowest * bound AS low,
       CASE WHEN size < 16384 THEN max(2, highest) ELSE highest END * bound AS high
FROM run ORDER BY point;
