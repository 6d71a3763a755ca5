-- The roofline: what the array does of products that it pads to whole blocks (P-28: a row costs as much as 32), or
-- bytes read at the rate of the HBM path.
CREATE TABLE roofline AS
WITH
  given AS (
    SELECT CAST(max(value) FILTER (WHERE key LIKE '%.pe\_gemm.attrs.mac\_per\_ns' ESCAPE '\'
                                      OR key LIKE '%.pe\_gemm.attrs.mac\_per\_ns.f16' ESCAPE '\') AS REAL)
             AS mac_per_ns,
           CAST(max(value) FILTER (WHERE key LIKE '%.pe\_gemm.attrs.overhead\_ns' ESCAPE '\') AS REAL) AS overhead_ns,
           max(value) FILTER (WHERE key LIKE '%.pe\_gemm.attrs.gemm\_granularity' ESCAPE '\') AS granularity,
           CAST(max(value) FILTER (WHERE key = 'cube.links.hbm_to_router_bw_gbs') AS REAL) AS memory_gbs
    FROM machine
  ),
  block AS (
    SELECT '[' || replace(replace(granularity, 'none', '1x1x1'), 'x', ',') || ']' AS sizes FROM given
  ),
  wire AS (
    SELECT min(nullif(gbs, 0)) AS gbs
    FROM json_each(path_edges_back('sip0.cube0.pe0.pe_dma', 'sip0.cube0.hbm_ctrl.pe0')) AS back
    JOIN edge ON edge.id = back.value
  ),
  padded AS (
    SELECT point, 8192.0 * m * n AS products, 1.0 * m * n / (2 * (m + n)) AS intensity,
           (m + (sizes ->> 0) - 1) / (sizes ->> 0) * (sizes ->> 0)
             * ((8192 + (sizes ->> 1) - 1) / (sizes ->> 1) * (sizes ->> 1))
             * ((n + (sizes ->> 2) - 1) / (sizes ->> 2) * (sizes ->> 2)) AS macs
    FROM gemm, block
  )
SELECT point, products, intensity,  -- products per byte that is read
       min(products / max(overhead_ns, round(macs * 1e6 / mac_per_ns) / 1e6),
           coalesce(min(gbs, memory_gbs), memory_gbs) * intensity) AS rate
FROM padded, given, wire;

-- With one read under way the share of the roofline is less, at least 30 %.
CREATE TABLE measured_gemm AS
SELECT 'gemm' AS section,
       format('composite GEMM, %d read%s under way', outstanding, iif(outstanding = 1, '', 's')) AS scenario,
       'products per byte read' AS parameter, intensity AS parameter_value, 'rate' AS quantity,
       products / time_ns AS value, 'MAC/ns' AS unit, 'roofline' AS source, rate AS beside,
       CASE outstanding WHEN 1 THEN 0.3 ELSE 0.75 END * rate AS low, rate AS high,
       NULL AS deviation
FROM gemm JOIN roofline USING (point)
WHERE status = 'ok'
ORDER BY point;
