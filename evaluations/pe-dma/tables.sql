-- The runs as results. `contention_ns` is what no part of a path explains: waiting for others. Times are whole
-- femtoseconds.
CREATE TABLE pe_dma AS
SELECT direction, scenario, "set", issuers, first_issuer, first_target, moved_bytes AS bytes, total_ns, completed_ns,
       effective_gbs, single_peak_gbs, aggregate_peak_gbs, util_single, util_aggregate, pe_setup_ns, noc_mesh_ns,
       ucie_ns, fabric_ns, wire_transfer_ns, hbm_ctrl_ns,
       round(total_ns - (pe_setup_ns + noc_mesh_ns + ucie_ns + fabric_ns + hbm_ctrl_ns + wire_transfer_ns), 6) + 0.0
         AS contention_ns
FROM scenarios JOIN scenario USING (scenario)
WHERE status = 'ok' ORDER BY point;

-- What the checks ask of a run: `alone_ns` is its latency without others in the way; `header_ns` what the first flit
-- of each write waits in the controller, while the others close up behind it; `hash_ns` a round of bursts, one from each
-- channel but one; `shares_one_wire` is true when nothing but the partition's wire limits the issuers together.
CREATE TABLE run AS
WITH
  controller AS (
    SELECT (SELECT CAST(value AS REAL) FROM machine WHERE key = 'cube.components.hbm_ctrl.attrs.overhead_ns')
             AS overhead_ns,
           (SELECT CAST(value AS REAL) FROM machine WHERE key = 'cube.components.hbm_ctrl.attrs.burst_bytes') AS flit,
           (SELECT CAST(value AS REAL) - 1 FROM machine WHERE key = 'cube.components.hbm_ctrl.attrs.num_pcs')
             * EXISTS (SELECT 1 FROM machine WHERE key = 'cube.components.hbm_ctrl.attrs.channel_hash' AND value = 'xor')
             AS other_channels
  ),
  named AS (
    SELECT pe_dma.*, direction || ' ' || scenario AS name, scenario LIKE 'SAME\_CUBE%' ESCAPE '\' AS same_cube,
           total_ns - contention_ns AS alone_ns, CASE direction WHEN 'write' THEN overhead_ns ELSE 0 END AS header_ns,
           flit, other_channels * flit / single_peak_gbs AS hash_ns
    FROM pe_dma, controller
  )
SELECT *, header_ns = 0 AND abs(single_peak_gbs - aggregate_peak_gbs) <= 1e-9 AS shares_one_wire FROM named;

-- Ever more issuers of one partition, each with the run before.
CREATE TABLE hot AS
SELECT *, lag(scenario) OVER fewer AS before, lag(total_ns) OVER fewer AS before_ns,
       lag(effective_gbs) OVER fewer AS before_gbs, lag(shares_one_wire) OVER fewer AS before_shares
FROM run
WHERE scenario LIKE 'ctrl\_hot\_%' ESCAPE '\' OR scenario = 'all_pe_cube0_to_pe0'
WINDOW fewer AS (PARTITION BY direction ORDER BY issuers);

-- The words of figures: a panel shows a set in one direction.
CREATE TABLE panel AS
SELECT direction, "set", 'PE_DMA ' || direction || 's ' || CASE direction WHEN 'read' THEN 'from' ELSE 'to' END
         || ' HBM partitions' AS subject,
       CASE "set" WHEN 'no_congestion' THEN 'one PE alone'
                  ELSE format('PEs of one cube (%d) and of SIP 0 (%d)', pes, pes * cubes) END
         || ' (simulated)' AS scope,
       format('%g KiB per issuer (N), all at time 0, until the last byte is delivered. Every PE to or from an HBM '
              || 'partition: raw transfers at the fabric side of PE_DMA.', max(bytes / issuers) / 1024.0) AS note,
       max(total_ns) AS longest_ns,
       min(150, 100 * max(1, max(util_single), max(util_aggregate))) AS most_percent,
       -- Routes are the shortest in time, which can surprise.
       max(substr(first_issuer, 1, instr(first_issuer, '.')) = substr(first_target, 1, instr(first_target, '.'))
           AND fabric_ns > 0) AS leaves_its_cubes
FROM pe_dma, (SELECT max(pe) + 1 AS pes, max(cube) + 1 AS cubes FROM node)
GROUP BY direction, "set";
CREATE TABLE bar AS
SELECT pe_dma.rowid AS position, pe_dma.*, replace(lines, '|', char(10)) || char(10) || 'N=' || issuers AS label
FROM pe_dma JOIN scenario USING (scenario);
