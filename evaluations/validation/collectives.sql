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
       CASE WHEN size < 16384 THEN max(2, highest) ELSE highest END * bound AS high, deviation
FROM run ORDER BY point;
