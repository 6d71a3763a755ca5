-- What was measured beside what it is compared with; low and high are the band that it has to be in. `deviation` says
-- why a figure is known to be off, and in which band of times the outside figure it would not be; null for others.
CREATE TABLE beside AS
SELECT source, scenario, parameter, parameter_value, figure, unit, value, lowest * value AS low, highest * value AS high,
       deviation || '; target ' || target AS deviation
FROM outside WHERE lowest IS NOT NULL;

CREATE TABLE measured_mesh AS
WITH figure AS (
  SELECT 1 AS part, point, 'mesh4x4 uniform zero load' AS scenario, 'packet_bytes' AS parameter, bytes AS parameter_value,
         'latency' AS quantity, latency AS measured
  FROM mesh_alone
  UNION ALL
  SELECT 2, point, format('mesh4x4 uniform %d B', bytes), 'load', load, 'latency', latency FROM mesh
  UNION ALL
  SELECT 2, point, format('mesh4x4 uniform %d B', bytes), 'load', load, 'accepted', accepted FROM mesh
)
SELECT 'mesh' AS section, scenario, parameter, parameter_value, quantity, measured AS value, unit, source,
       beside.value AS beside, low, high, deviation
FROM figure JOIN beside USING (scenario, parameter, parameter_value)
WHERE beside.figure = quantity
ORDER BY part, point;

CREATE TABLE measured_memory AS
WITH figure AS (
  SELECT point, 'HBM2 ' || scenario AS scenario, 'bytes' AS parameter, bytes AS parameter_value, 'latency' AS quantity,
         latency AS measured
  FROM memory
  UNION ALL
  SELECT point, 'HBM2 ' || scenario, 'bytes', bytes, 'bandwidth', bandwidth FROM memory
)
SELECT 'memory' AS section, scenario, parameter, parameter_value, quantity, measured AS value, unit, source,
       beside.value AS beside, low, high, deviation
FROM figure JOIN beside USING (scenario, parameter, parameter_value)
WHERE beside.figure = quantity
ORDER BY point;

CREATE TABLE measured_banks AS
WITH figure AS (
  SELECT point, 'HBM2 channel ' || scenario AS scenario, 'bytes' AS parameter, bytes AS parameter_value, 'latency' AS quantity,
         latency AS measured
  FROM banks
  UNION ALL
  SELECT point, 'HBM2 channel ' || scenario, 'bytes', bytes, 'bandwidth', bandwidth FROM banks
)
SELECT 'banks' AS section, scenario, parameter, parameter_value, quantity, measured AS value, unit, source,
       beside.value AS beside, low, high, deviation
FROM figure JOIN beside USING (scenario, parameter, parameter_value)
WHERE beside.figure = quantity
ORDER BY point;

-- Short writes against those of 64 KiB. PCIe endpoints gather a long write before they pass it on, which makes short ones
-- up to a quarter faster.
CREATE TABLE measured_links AS
SELECT 'links' AS section, CASE one.link WHEN 'ucie' THEN 'UCIe port eastbound' ELSE 'tray''s switch both ways' END AS scenario,
       'bytes' AS parameter, one.bytes AS parameter_value, 'bandwidth' AS quantity, one.rate AS value, 'GB/s' AS unit,
       'writes of 64 KiB' AS source, long.rate AS beside, CASE one.bytes WHEN 65536 THEN 1 ELSE 0.9 END * long.rate AS low,
       1.25 * long.rate AS high, NULL AS deviation
FROM links AS one JOIN links AS long ON long.link = one.link AND long.bytes = 65536
ORDER BY one.point;
