-- The counts of K-93 from the statistics of the blocks of PEs, and who did the work.
CREATE TABLE counted AS
SELECT node, substr(node, 1, length(node) - length(block) - 1) AS pe, count, value
FROM (
  SELECT blocks.key AS node,
         CASE WHEN blocks.key LIKE '%.pe\_gemm' ESCAPE '\' THEN 'pe_gemm'
              WHEN blocks.key LIKE '%.pe\_dma' ESCAPE '\' THEN 'pe_dma'
              WHEN blocks.key LIKE '%.pe\_ipcq' ESCAPE '\' THEN 'pe_ipcq' END AS block,
         CASE WHEN blocks.key LIKE '%.pe\_gemm' ESCAPE '\' AND statistic.key = 'commands' THEN 'gemm'
              WHEN blocks.key LIKE '%.pe\_dma' ESCAPE '\' AND statistic.key = 'read_commands' THEN 'dma_read'
              WHEN blocks.key LIKE '%.pe\_dma' ESCAPE '\' AND statistic.key = 'write_commands' THEN 'dma_write'
              WHEN blocks.key LIKE '%.pe\_ipcq' ESCAPE '\' AND statistic.key LIKE '%.sent' THEN 'ipcq_send'
              WHEN blocks.key LIKE '%.pe\_ipcq' ESCAPE '\' AND statistic.key LIKE '%.received' THEN 'ipcq_recv'
         END AS count,
         json_extract(statistic.value, '$.value') AS value
  FROM result, json_each(result.json, '$.blocks') AS blocks, json_each(blocks.value) AS statistic
)
WHERE count IS NOT NULL;
