-- All runs in one table: `run` for the checks and figures, `gqa` as the result.
CREATE TABLE run AS
WITH
  size AS (
    SELECT (SELECT count(*) FROM node WHERE kind = 'pe_dma' AND sip = 0 AND cube = 0) AS pes,
           min(4, (SELECT CAST(value AS INTEGER) FROM machine WHERE key = 'sip.cube_mesh.w')) AS row_cubes
  ),
  scale(scale, q_heads, kv_heads, head_dim, context) AS (VALUES ('validation', 1, 1, 64, 64), ('headline', 64, 8, 128, 8192)),
  measured AS (
    SELECT 'validation' AS "set", 'validation' AS scale, point, panel, s_q AS given, 0 AS queries_per_cube, pe_exec_ns,
           all_ranks, working_pes, beside_pe0, gemm, ipcq_send, ipcq_recv, dma_read, dma_write, status, max_abs_error
    FROM validation
    UNION ALL
    SELECT 'headline', 'headline', point, panel, s_q, 0, pe_exec_ns, all_ranks, working_pes, beside_pe0, gemm,
           ipcq_send, ipcq_recv, dma_read, dma_write, status, NULL
    FROM headline
    UNION ALL
    SELECT 'scaling', 'headline', point, panel, 0, queries_per_cube, pe_exec_ns, all_ranks, working_pes, beside_pe0,
           gemm, ipcq_send, ipcq_recv, dma_read, dma_write, status, NULL
    FROM scaling
  ),
  named AS (
    SELECT *,
           CASE WHEN panel LIKE '%prefill' THEN 'prefill' ELSE 'decode' END AS phase,
           CASE WHEN panel LIKE 'multi%' THEN 1 ELSE 0 END AS rank_axis,
           CASE WHEN panel LIKE 'multi%' THEN row_cubes ELSE pes END AS n_ranks
    FROM measured, size
  ),
  counted AS (
    SELECT *,
           CASE WHEN queries_per_cube = 0 THEN given WHEN phase = 'prefill' THEN queries_per_cube * n_ranks
                ELSE queries_per_cube END AS s_q
    FROM named
  )
SELECT counted.*, q_heads, kv_heads, head_dim, context,
       panel || ' at ' || scale || ' scale'
         || CASE queries_per_cube WHEN 0 THEN '' ELSE ', ' || queries_per_cube || ' queries per cube' END AS name,
       replace(panel, '_user_', ' user, ') AS words,
       CASE phase WHEN 'prefill' THEN 'attention_mesh_kv' ELSE 'attention_mesh_mlo' END AS kernel,
       CASE rank_axis WHEN 0 THEN 'intracube_ring' ELSE 'intercube_multisip' END AS wiring,
       format('%d %s share a K/V head', n_ranks,
              CASE rank_axis WHEN 0 THEN 'PEs of a cube' ELSE 'cubes of a mesh row, PE 0 of each,' END) AS sharing,
       format('query heads %d, K/V heads %d, head dimension %d, context %d, f16', q_heads, kv_heads, head_dim,
              context) AS sizes,
       4.0 * s_q * q_heads * (context - (s_q - 1) / 2.0) * head_dim / pe_exec_ns AS gflops
FROM counted JOIN scale USING (scale)
WHERE status = 'ok';

CREATE TABLE operations AS
SELECT "set", panel, position, count, words, value FROM (
  SELECT "set", panel, 1 AS position, 'gemm' AS count, 'GEMM commands' AS words, gemm AS value FROM run
  UNION ALL SELECT "set", panel, 2, 'ipcq_send', 'messages sent', ipcq_send FROM run
  UNION ALL SELECT "set", panel, 3, 'ipcq_recv', 'messages received', ipcq_recv FROM run
  UNION ALL SELECT "set", panel, 4, 'dma_read', 'DMA reads', dma_read FROM run
  UNION ALL SELECT "set", panel, 5, 'dma_write', 'DMA writes', dma_write FROM run
);

CREATE TABLE gqa AS
SELECT "set", panel, kernel, wiring, scale, rank_axis, n_ranks, all_ranks, s_q, queries_per_cube, q_heads, kv_heads,
       head_dim, context, pe_exec_ns, gflops, gemm, ipcq_send, ipcq_recv, dma_read, dma_write, max_abs_error
FROM run;
