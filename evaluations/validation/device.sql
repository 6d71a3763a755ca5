-- Shares of one HBM slice beside those of a measured device. A share of sequential is that of sequential reads, a share of
-- random that of random reads of 64 B.
CREATE TABLE measured_device AS
WITH share AS (
  SELECT point, scenario, number,
         CASE WHEN scenario LIKE 'sequential%' THEN 'share of peak' WHEN scenario = 'random reads' THEN 'share of sequential'
         ELSE 'share of random' END AS quantity,
         bandwidth / CASE WHEN scenario LIKE 'sequential%' THEN peak
                     WHEN scenario = 'random reads' THEN (SELECT bandwidth FROM device WHERE scenario = 'sequential reads')
                     ELSE (SELECT bandwidth FROM device WHERE scenario = 'random reads' AND number = 64) END AS part
  FROM device
),
latency AS (SELECT point, load, latency, (SELECT latency FROM device_load WHERE load = 0) AS idle FROM device_load),
figure AS (
  SELECT 1 AS part, point, 'HBM3 ' || scenario AS scenario,
         CASE quantity WHEN 'share of random' THEN 'pitch' ELSE 'bytes' END AS parameter, number AS parameter_value,
         quantity, 100 * part AS measured
  FROM share
  UNION ALL
  SELECT 2, point, 'HBM3 read among random reads of 64 B', 'load in % of peak', load, 'latency', latency / idle FROM latency
  UNION ALL
  SELECT 3, point, 'HBM3 read among random reads of 64 B', 'load in % of peak', load, 'added latency', latency - idle
  FROM latency
)
SELECT 'device' AS section, scenario, parameter, parameter_value, quantity, measured AS value, unit, source,
       beside.value AS beside, low, high, deviation
FROM figure JOIN beside USING (scenario, parameter, parameter_value)
WHERE beside.figure = quantity
ORDER BY part, point;
