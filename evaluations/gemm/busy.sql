-- What the engines of the PE did. A stage of a tile is an operation TileToken/STAGE; the others are loads of whole
-- operands before the composite.
CREATE TABLE work AS
SELECT node_kind AS engine,
       CASE WHEN operation.name LIKE 'TileToken/%' THEN substr(operation.name, length('TileToken/') + 1) END AS stage,
       t_start_fs, t_end_fs
FROM op
JOIN component ON component.id = component_id
JOIN operation ON operation.id = operation_id
WHERE node_kind IN ('pe_dma', 'pe_fetch_store', 'pe_gemm', 'pe_math') AND (sip, cube, pe) = (0, 0, 0);

-- Of each stage and each engine: how often, during how much of the time, and the sum of the durations.
CREATE TABLE busy AS
WITH asked(name) AS (
  VALUES ('DMA_READ'), ('FETCH'), ('GEMM'), ('MATH'), ('STORE'), ('DMA_WRITE'),
         ('pe_dma'), ('pe_fetch_store'), ('pe_gemm'), ('pe_math')
)
SELECT name, count(t_start_fs) AS count, covered(t_start_fs, t_end_fs) / 1e6 AS wall_ns,
       total(t_end_fs - t_start_fs) / 1e6 AS occupancy_ns
FROM asked LEFT JOIN work ON name IN (stage, engine)
GROUP BY name;
