-- Two analytic models of a composite beside its simulation (E-29). `platform` has what they need of the machine,
-- `tile` the tiles of each shape, `step` what such a tile takes, `demand` all tiles together, `model` the times; `run`
-- has all of it beside the runs.

-- Rates are bytes or products per ns, NULL = no limit.
CREATE TABLE platform AS
WITH
  attribute AS (
    SELECT replace(replace(key, 'cube.pe_template.components.', ''), '.attrs.', '.') AS name, value FROM machine
  ),
  given AS (
    SELECT CAST(max(value) FILTER (WHERE name = 'pe_scheduler.tile_m') AS INTEGER) AS tile_m,
           CAST(max(value) FILTER (WHERE name = 'pe_scheduler.tile_k') AS INTEGER) AS tile_k,
           CAST(max(value) FILTER (WHERE name = 'pe_scheduler.tile_n') AS INTEGER) AS tile_n,
           max(value) FILTER (WHERE name = 'pe_scheduler.reuse_a') AS reuse_a,
           CAST(max(value) FILTER (WHERE name = 'cube.memory_map.tcm_scheduler_reserved_bytes') AS INTEGER)
             AS buffer_bytes,
           CAST(max(value) FILTER (WHERE name IN ('pe_gemm.mac_per_ns', 'pe_gemm.mac_per_ns.f16')) AS REAL)
             AS mac_per_ns,
           CAST(max(value) FILTER (WHERE name = 'pe_gemm.overhead_ns') AS REAL) AS gemm_overhead_ns,
           max(value) FILTER (WHERE name = 'pe_gemm.gemm_granularity') AS granularity,
           CAST(max(value) FILTER (WHERE name = 'pe_tcm.read_bw_gbs') AS REAL) AS tcm_read_gbs,
           CAST(max(value) FILTER (WHERE name = 'pe_tcm.write_bw_gbs') AS REAL) AS tcm_write_gbs,
           CAST(max(value) FILTER (WHERE name = 'cube.pe_template.links.fetch_store_to_tcm_bw_gbs') AS REAL)
             AS register_gbs,
           CAST(max(value) FILTER (WHERE name = 'pe_fetch_store.overhead_ns') AS REAL) AS fetch_overhead_ns,
           CAST(max(value) FILTER (WHERE name = 'pe_dma.overhead_ns') AS REAL) AS dma_overhead_ns,
           CAST(max(value) FILTER (WHERE name = 'pe_dma.rd_engines') AS INTEGER) AS rd_engines,
           CAST(max(value) FILTER (WHERE name = 'pe_dma.rd_outstanding') AS INTEGER) AS rd_outstanding,
           CAST(max(value) FILTER (WHERE name = 'pe_dma.wr_engines') AS INTEGER) AS wr_engines,
           CAST(max(value) FILTER (WHERE name = 'pe_dma.wr_outstanding') AS INTEGER) AS wr_outstanding,
           CAST(max(value) FILTER (WHERE name = 'pe_dma.baaw_overhead_ns') AS REAL) AS baaw_ns,
           CAST(max(value) FILTER (WHERE name = 'pe_mmu.tlb_overhead_ns') AS REAL) AS tlb_ns,
           max(value) FILTER (WHERE name = 'cube.memory_map.address_model') AS address_model,
           max(value) FILTER (WHERE name = 'cube.memory_map.hbm_mapping_mode') AS mapping,
           CAST(max(value) FILTER (WHERE name = 'cube.components.hbm_ctrl.access_bytes') AS INTEGER) AS access_bytes,
           CAST(max(value) FILTER (WHERE name = 'cube.links.hbm_to_router_bw_gbs') AS REAL) AS memory_gbs
    FROM attribute
  ),
  -- The blocks in which the array works: '32x64x32', or 'none' for one that never pads (P-28).
  block AS (
    SELECT '[' || replace(replace(granularity, 'none', '1x1x1'), 'x', ',') || ']' AS sizes FROM given
  ),
  -- The narrowest wires between PE_DMA and its HBM slice, there and back.
  wire AS (
    SELECT path_gbs('sip0.cube0.pe0.pe_dma', 'sip0.cube0.hbm_ctrl.pe0') AS there_gbs, min(nullif(gbs, 0)) AS back_gbs
    FROM json_each(path_edges_back('sip0.cube0.pe0.pe_dma', 'sip0.cube0.hbm_ctrl.pe0')) AS back
    JOIN edge ON edge.id = back.value
  )
SELECT tile_m, tile_k, tile_n, reuse_a, buffer_bytes, mac_per_ns, gemm_overhead_ns,
       sizes ->> 0 AS block_m, sizes ->> 1 AS block_k, sizes ->> 2 AS block_n,
       coalesce(min(tcm_read_gbs, nullif(register_gbs, 0)), tcm_read_gbs) AS fetch_gbs,
       coalesce(min(tcm_write_gbs, nullif(register_gbs, 0)), tcm_write_gbs) AS store_gbs,
       fetch_overhead_ns,                                                     -- of each FETCH and each STORE
       coalesce(min(back_gbs, memory_gbs), memory_gbs) AS link_gbs,           -- of reads
       coalesce(min(nullif(there_gbs, 0), memory_gbs), memory_gbs) AS write_link_gbs,
       memory_gbs,                                                            -- of the slice: reads and writes
       access_bytes, dma_overhead_ns,
       CASE address_model WHEN 'va' THEN tlb_ns WHEN 'la' THEN baaw_ns ELSE 0 END AS translation_ns,
       rd_engines, rd_outstanding, wr_engines, wr_outstanding,
       mapping = 'one_to_one' AS channels  -- a request per HBM channel: no latencies are known then, only bytes
FROM given, block, wire;

-- Which operands a variant reads tile by tile; the others are in the TCM before.
CREATE TABLE variant AS
WITH variant(variant, reads_a, reads_b) AS (VALUES ('ref', 1, 1), ('load_ref', 0, 1), ('load', 0, 0))
SELECT * FROM variant;

-- The tiles of a shape: A's are height x depth, B's depth x width. Along each side the last one may be smaller, and the
-- first column of tiles may be the only one that reads A, so there are up to twelve kinds; `count` of each. The last one
-- of a K loop (`is_last`) writes its tile of C. The machine's own tile is there too, as a shape.
CREATE TABLE tile AS
WITH
  asked AS (SELECT m, k, n FROM shapes UNION SELECT tile_m, tile_k, tile_n FROM platform),
  side(side, size, step) AS (
    SELECT 'm', m, tile_m FROM asked, platform
    UNION SELECT 'k', k, tile_k FROM asked, platform
  ),
  part(side, size, length, count, is_last) AS (
    SELECT side, size, step, (size - 1) / step, 0 FROM side WHERE size > step
    UNION ALL
    SELECT side, size, size - (size - 1) / step * step, 1, 1 FROM side
  ),
  part_of_n(size, length, count, is_first) AS (
    SELECT DISTINCT n, min(n, tile_n), 1, 1 FROM asked, platform
    UNION ALL
    SELECT DISTINCT n, tile_n, (n - 1) / tile_n - 1, 0 FROM asked, platform WHERE n > 2 * tile_n
    UNION ALL
    SELECT DISTINCT n, n - (n - 1) / tile_n * tile_n, 1, 0 FROM asked, platform WHERE n > tile_n
  ),
  cut AS (
    SELECT m, k, n, rows.length AS height, depths.length AS depth, columns.length AS width,
           rows.count * depths.count * columns.count AS count, depths.is_last AS is_last, columns.is_first AS is_first
    FROM asked
    JOIN part AS rows ON rows.side = 'm' AND rows.size = m
    JOIN part AS depths ON depths.side = 'k' AND depths.size = k
    JOIN part_of_n AS columns ON columns.size = n
  ),
  padded AS (
    SELECT cut.*, (height + block_m - 1) / block_m * block_m * ((depth + block_k - 1) / block_k * block_k)
                    * ((width + block_n - 1) / block_n * block_n) AS macs
    FROM cut, platform
  )
SELECT padded.*, max(gemm_overhead_ns, round(macs * 1e6 / mac_per_ns) / 1e6) AS product_ns
FROM padded, platform;

-- Whether the first column of tiles reads A for all: the scheduler keeps the rows of A that a row of tiles uses when they
-- fit its buffers beside two tiles (P-102).
CREATE TABLE reuse AS
SELECT m, k, n, variant,
       reads_a AND reuse_a = 'auto' AND n > tile_n
         AND (k + tile_k - 1) / tile_k * 2 * tile_m * tile_k
               + 2 * (reads_b * 2 * tile_k * tile_n + 2 * tile_m * tile_n) <= buffer_bytes AS keeps_a
FROM (SELECT DISTINCT m, k, n FROM tile), variant, platform;

-- For how long a transfer of so many bytes keeps its engine of PE_DMA when nothing is in its way.
CREATE TABLE transfer_time AS
WITH size(bytes) AS (
  SELECT 2 * height * depth FROM tile
  UNION SELECT 2 * depth * width FROM tile
  UNION SELECT 2 * height * width FROM tile
)
SELECT bytes,
       (bytes + access_bytes - 1) / access_bytes * access_bytes AS accessed_bytes,  -- a part costs whole units
       2 * dma_overhead_ns + translation_ns
         + CASE channels WHEN 1 THEN bytes / link_gbs
           ELSE read_ns('sip0.cube0.pe0.pe_dma', 'sip0.cube0.hbm_ctrl.pe0', bytes, 'answered') END AS read_ns,
       2 * dma_overhead_ns + translation_ns
         + CASE channels WHEN 1 THEN bytes / write_link_gbs
           ELSE write_ns('sip0.cube0.pe0.pe_dma', 'sip0.cube0.hbm_ctrl.pe0', bytes, 'answered') END AS write_ns
FROM size, platform;

-- What a tile takes on its way when nothing else is in it. Times on the port of the TCM are rounded as there.
CREATE TABLE step AS
WITH reader AS (
  SELECT tile.*, variant, reads_a AND (is_first OR NOT keeps_a) AS reads_a, reads_b
  FROM tile JOIN reuse USING (m, k, n) JOIN variant USING (variant)
)
SELECT reader.*, reads_a + reads_b AS reads,
       reads_a * a.bytes + reads_b * b.bytes AS read_bytes,
       reads_a * a.accessed_bytes + reads_b * b.accessed_bytes AS read_accessed,
       reads_a * a.read_ns + reads_b * b.read_ns AS read_ns,
       fetch_overhead_ns + round((a.bytes + b.bytes) * 1e6 / fetch_gbs) / 1e6 AS fetch_ns,
       -- The steps that only the last tile of a K loop has; NULL of the others.
       CASE WHEN is_last THEN c.bytes END AS write_bytes,
       CASE WHEN is_last THEN c.accessed_bytes END AS write_accessed,
       CASE WHEN is_last THEN fetch_overhead_ns + round(c.bytes * 1e6 / store_gbs) / 1e6 END AS store_ns,
       CASE WHEN is_last THEN c.write_ns END AS write_ns
FROM reader, platform
JOIN transfer_time AS a ON a.bytes = 2 * height * depth
JOIN transfer_time AS b ON b.bytes = 2 * depth * width
JOIN transfer_time AS c ON c.bytes = 2 * height * width;

-- For how long a composite needs each resource, all its tiles together; and the shortest time of each step, which no
-- first or last tile can fall below.
CREATE TABLE demand AS
SELECT m, k, n, variant,
       sum(count) AS tiles, sum(count) FILTER (WHERE is_last) AS outputs,
       sum(count * macs) AS macs,
       sum(count * reads) AS reads,
       sum(count * product_ns) AS products_ns, sum(count * fetch_ns) AS fetches_ns, sum(count * store_ns) AS stores_ns,
       sum(count * read_bytes) / link_gbs AS read_link_ns, sum(count * write_bytes) / write_link_gbs AS write_link_ns,
       (sum(count * read_accessed) + sum(count * write_accessed)) / memory_gbs AS memory_ns,
       sum(count * read_ns) / (rd_engines * rd_outstanding) AS readers_ns,
       sum(count * write_ns) / (wr_engines * wr_outstanding) AS writers_ns,
       min(read_ns) AS read, min(fetch_ns) AS fetch, min(product_ns) AS product, min(store_ns) AS store,
       min(write_ns) AS write
FROM step, platform
GROUP BY m, k, n, variant;

-- `ideal`: the busiest of array, FETCH, STORE and links, and a tile's time for each of the two stages before it.
-- `round_trips`: a transfer also keeps its engine until the response is back, reads and writes share the memory, and
-- each resource waits for the first tile to reach it and is followed by what the last tile has still before it.
-- `endless`: what a run without begin and end would take.
CREATE TABLE model AS
WITH
  whole AS (
    SELECT product_ns AS tile_ns FROM tile, platform
    WHERE (m, k, n) = (tile_m, tile_k, tile_n)
  ),
  busy AS (SELECT *, max(products_ns, fetches_ns, stores_ns, read_link_ns, write_link_ns) AS busiest_ns FROM demand)
SELECT m, k, n, variant, tiles, outputs, reads, products_ns AS array_ns, 1.0 * m * k * n / macs AS useful,
       busiest_ns + 2 * tile_ns AS ideal_ns, busiest_ns AS ideal_endless_ns,
       max(max(readers_ns, read_link_ns) + fetch + product + store + write,
           memory_ns,
           read + fetches_ns + product + store + write,
           read + fetch + products_ns + store + write,
           read + fetch + product + stores_ns + write,
           read + fetch + product + max(writers_ns, write_link_ns)) AS round_trips_ns,
       max(busiest_ns, memory_ns, readers_ns, writers_ns) AS round_trips_endless_ns
FROM busy, whole;

CREATE TABLE run AS
SELECT runs.*, shapes.drawn, format('%dx%dx%d', m, k, n) AS shape, tiles, outputs, reads, array_ns,
       m < tile_m OR k < tile_k OR n < tile_n AS under_tile,
       GEMM_wall_ns / composite_window_ns AS gemm_utilisation,
       GEMM_wall_ns / composite_window_ns * useful AS useful_efficiency,
       array_ns / ideal_ns AS ideal_utilisation, array_ns / ideal_ns * useful AS ideal_efficiency,
       array_ns / ideal_endless_ns AS ideal_bound, ideal_ns,
       array_ns / round_trips_ns AS round_trips_utilisation,
       array_ns / round_trips_ns * useful AS round_trips_efficiency,
       array_ns / round_trips_endless_ns AS round_trips_bound, round_trips_ns
FROM runs, platform
JOIN shapes USING (m, k, n)
JOIN model USING (m, k, n, variant)
WHERE status = 'ok';

-- What a user gets.
CREATE TABLE gemm AS
SELECT m, k, n, variant, iif(under_tile, 'true', 'false') AS under_tile, tiles, composite_window_ns, pe_window_ns,
       pe_exec_ns, gemm_utilisation, useful_efficiency, ideal_utilisation, round_trips_utilisation,
       DMA_READ_count, DMA_READ_wall_ns, DMA_READ_occupancy_ns, FETCH_count, FETCH_wall_ns, FETCH_occupancy_ns,
       GEMM_count, GEMM_wall_ns, GEMM_occupancy_ns, MATH_count, MATH_wall_ns, MATH_occupancy_ns,
       STORE_count, STORE_wall_ns, STORE_occupancy_ns, DMA_WRITE_count, DMA_WRITE_wall_ns, DMA_WRITE_occupancy_ns,
       pe_dma_count, pe_dma_wall_ns, pe_dma_occupancy_ns, pe_fetch_store_count, pe_fetch_store_wall_ns,
       pe_fetch_store_occupancy_ns, pe_gemm_count, pe_gemm_wall_ns, pe_gemm_occupancy_ns,
       pe_math_count, pe_math_wall_ns, pe_math_occupancy_ns
FROM run ORDER BY point;

-- The groups of bars in the figures. A shape that does not fit the TCM has none and comes last.
CREATE TABLE bar AS
SELECT format('%dx%dx%d', runs.m, runs.k, runs.n) || char(10)
         || CASE WHEN run.point IS NULL THEN 'does not fit' || char(10) || 'the TCM'
            ELSE tiles || iif(tiles = 1, ' tile', ' tiles') || iif(under_tile, char(10) || 'under-tile', '')
            END AS name,
       run.*
FROM runs
JOIN shapes USING (m, k, n)
LEFT JOIN run ON run.point = runs.point
WHERE shapes.drawn = 'yes' AND runs.variant = 'load_ref' AND (runs.status = 'ok' OR runs.cause LIKE 'OUT_OF_SCRATCH%')
  AND EXISTS (SELECT 1 FROM run WHERE drawn = 'yes' AND variant = 'load_ref')
ORDER BY run.point IS NULL, runs.point;

-- The lines below the figures.
CREATE TABLE caption AS
WITH
  whole AS (
    SELECT product_ns AS tile_ns, read_ns - bytes / link_gbs AS read_latency_ns FROM platform
    JOIN tile ON (m, k, n) = (tile_m, tile_k, tile_n)
    JOIN transfer_time ON bytes = 2 * tile_k * tile_n
  ),
  missing AS (
    SELECT group_concat(shape, ', ') AS shapes FROM (
      SELECT DISTINCT format('%dx%dx%d', m, k, n) AS shape FROM runs JOIN shapes USING (m, k, n) WHERE drawn <> 'yes'
    )
  )
SELECT format('Machine: tile %dx%dx%d f16, %g MAC/ns = %g ns per tile; ', tile_m, tile_k, tile_n, mac_per_ns, tile_ns)
         || format('HBM path %g GB/s, a read takes %g ns more ', link_gbs, read_latency_ns)
         || format('(%d read engine%s', rd_engines, iif(rd_engines = 1, '', 's'))
         || iif(rd_outstanding > 1, format(' of %d reads', rd_outstanding), '')
         || iif(translation_ns > 0, format('; %g ns of it to translate', translation_ns), '')
         || format('); TCM to registers %g GB/s', fetch_gbs)
         || iif(store_gbs <> fetch_gbs, format(', back %g', store_gbs), '')
         || iif(fetch_overhead_ns > 0, format(', %g ns each time', fetch_overhead_ns), '') || '.' AS note,
       'One composite (M x K) x (K x N) on sip0.cube0.pe0; variant load_ref: A is in the TCM before, '
         || 'B is streamed tile by tile.' || coalesce(' Measured, not drawn: ' || shapes || '.', '') AS note2
FROM platform, whole, missing;
