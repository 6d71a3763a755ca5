-- Each run on a faster machine beside the same run on the machine as it is; share: % of the pairs up to this ratio.
CREATE TABLE monotony_pair AS
WITH
  run AS (
    SELECT 'transfers' AS kind, number, 'random transfers' AS what, machine, faster, time_ns FROM monotony_transfers
    WHERE status = 'ok'
    UNION ALL
    SELECT 'workload', number, trim(workload || ' ' || sizes), machine, faster, time_ns FROM monotony_workloads
    WHERE status = 'ok'
  )
SELECT kind, number, run.what, run.machine, run.faster, before.time_ns AS before_ns,
       run.time_ns / before.time_ns AS ratio,
       100 * cume_dist() OVER (PARTITION BY kind ORDER BY run.time_ns / before.time_ns) AS share
FROM run JOIN run AS before USING (kind, number)
WHERE coalesce(run.faster, '') <> '' AND coalesce(before.faster, '') = '';

-- The worst pair of each kind.
CREATE TABLE measured_monotony AS
SELECT 'monotony' AS section,
       format('%s on a faster machine: draw %d with %s: %s', kind, number, faster, what) AS scenario, 'pairs' AS parameter,
       pairs AS parameter_value, 'slowest' AS quantity, ratio AS value, 'times before' AS unit, '' AS source,
       1 AS beside, 0 AS low, CASE kind WHEN 'transfers' THEN 1.15 ELSE 1.02 END AS high,
       NULL AS deviation
FROM (SELECT *, count(*) OVER (PARTITION BY kind) AS pairs,
             row_number() OVER (PARTITION BY kind ORDER BY ratio DESC, number) AS place
      FROM monotony_pair)
WHERE place = 1 ORDER BY kind;
