-- All sections in one table, which is the result. A figure of a device that is known to be outside its band misses it.
CREATE TABLE validation AS
WITH measured AS (
  SELECT * FROM measured_mesh
  UNION ALL SELECT * FROM measured_memory
  UNION ALL SELECT * FROM measured_banks
  UNION ALL SELECT * FROM measured_device
  UNION ALL SELECT * FROM measured_links
  UNION ALL SELECT * FROM measured_gemm
  UNION ALL SELECT * FROM measured_products
  UNION ALL SELECT * FROM measured_collectives
  UNION ALL SELECT * FROM measured_monotony
)
SELECT section, scenario, parameter, parameter_value, quantity, value, unit, source, beside, low, high,
       CASE WHEN NOT value BETWEEN low AND high AND (scenario, parameter, parameter_value, quantity) IN (
              SELECT scenario, parameter, parameter_value, figure FROM outside WHERE misses = 'yes'
            ) THEN 'misses its band: ' || deviation
            WHEN NOT value BETWEEN low AND high THEN 'outside its band'
            WHEN deviation IS NOT NULL THEN 'known deviation: ' || deviation
            ELSE 'in band' END AS verdict
FROM measured;
