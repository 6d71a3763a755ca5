-- Products with weights beside GPUs.
CREATE TABLE measured_products AS
WITH figure AS (
  SELECT point, 'product ' || weights AS scenario, 'tokens' AS parameter, tokens AS parameter_value, 'time' AS quantity,
         time_ns / 1000 AS measured
  FROM products JOIN product USING (inputs, outputs, epilogue, tokens)
)
SELECT 'products' AS section, scenario, parameter, parameter_value, quantity, measured AS value, unit, source,
       beside.value AS beside, low, high, deviation
FROM figure JOIN beside USING (scenario, parameter, parameter_value)
WHERE beside.figure = quantity
ORDER BY source DESC, point;
