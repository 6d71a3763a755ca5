-- What the machine has: its mesh of cubes, and what an access to a slot of a ring costs in each memory.
CREATE TABLE cube_mesh AS
SELECT CAST(w.value AS INTEGER) AS w, CAST(h.value AS INTEGER) AS h, h.value / 2 * w.value + w.value / 2 AS centre,
       (SELECT count(*) FROM node WHERE kind = 'pe_dma' AND sip = 0 AND cube = 0) AS pes
FROM machine AS w, machine AS h
WHERE w.key = 'sip.cube_mesh.w' AND h.key = 'sip.cube_mesh.h';

-- Cubes that an IO chiplet is connected to.
CREATE TABLE port AS
SELECT DISTINCT json_extract(value, '$[1]') * w + json_extract(value, '$[0]') AS cube FROM machine, cube_mesh
WHERE key LIKE 'sip.io\_chiplets[%].cube\_ports[%].cube.xy' ESCAPE '\';

-- Setup, bytes / bandwidth, and bytes / bandwidth of the way to the memory; 0 GB/s = no limit.
CREATE TABLE slot AS
WITH
  memory(position, kind, node) AS (
    SELECT 1, 'tcm', NULL
    UNION ALL
    SELECT 2, 'hbm', id FROM node WHERE kind = 'hbm_ctrl' AND sip = 0 AND cube = 0 AND pe = 0
    UNION ALL
    SELECT 3, 'sram', id FROM node WHERE kind = 'sram' AND sip = 0 AND cube = 0
  ),
  cost AS (
    SELECT position, kind, CAST(setup.value AS REAL) AS setup_ns, CAST(bw.value AS REAL) AS bw_gbs,
           CASE WHEN node IS NULL THEN 0 ELSE path_gbs('sip0.cube0.pe0.pe_dma', node) END AS hop_gbs
    FROM memory, machine AS setup, machine AS bw
    WHERE setup.key = format('cube.pe_template.components.pe_ipcq.attrs.%s_slot_setup_ns', kind)
      AND bw.key = format('cube.pe_template.components.pe_ipcq.attrs.%s_slot_bw_gbs', kind)
  )
SELECT *, coalesce(1 / bw_gbs, 0) + coalesce(1 / hop_gbs, 0) AS ns_per_byte FROM cost;

-- All runs in one table.
CREATE TABLE run AS
WITH
  measured AS (
    SELECT 1 AS part, 'sweep' AS "set", point, topology, n_sips, w, h, n_elem, 'tcm' AS buffer_kind,
           'tcm' AS slots_cost_as, root, latency_ns, pes, status
    FROM latency
    UNION ALL
    SELECT 2, 'buffers', point, topology, n_sips, w, h, n_elem, buffer_kind, buffer_kind, root, latency_ns, pes, status
    FROM buffers
    UNION ALL
    SELECT 2, 'stand_ins', point, topology, n_sips, w, h, n_elem, 'tcm', 'hbm', root, latency_ns, pes, status
    FROM as_hbm
    UNION ALL
    SELECT 2, 'stand_ins', point, topology, n_sips, w, h, n_elem, 'tcm', 'sram', root, latency_ns, pes, status
    FROM as_sram
    UNION ALL
    SELECT 3, 'roots', point, topology, n_sips, w, h, 49152, 'tcm', 'tcm', root, latency_ns, pes, status
    FROM roots
    UNION ALL
    SELECT 4, 'auto', point, topology, n_sips, w, h, n_elem, 'tcm', 'tcm', NULL, latency_ns, pes, status
    FROM chosen
  )
SELECT measured.*, 2 * n_elem AS bytes_per_pe, latency_ns / 1000 AS us, slot.position AS memory,
       CASE topology WHEN 'ring_1d' THEN format('ring of %d SIPs', n_sips)
                     WHEN 'torus_2d' THEN format('torus of %d x %d SIPs', w, h)
                     ELSE format('mesh without wrap of %d x %d SIPs', w, h) END AS words,
       format('%s of %d SIPs, %d B per PE, %s rings, root %d', topology, n_sips, 2 * n_elem, buffer_kind, root) AS name
FROM measured JOIN slot ON slot.kind = slots_cost_as
WHERE status = 'ok';

-- Sizes as texts for axes; `marked` is the largest, whose place has a line and no tic.
CREATE TABLE size AS
SELECT "set", bytes_per_pe AS bytes,
       CASE WHEN bytes_per_pe < 1024 THEN format('%d B', bytes_per_pe)
            ELSE format('%g KiB', bytes_per_pe / 1024.0) END AS words,
       "set" = 'sweep' AND bytes_per_pe = max(bytes_per_pe) OVER (PARTITION BY "set") AS marked
FROM run GROUP BY "set", bytes_per_pe;

-- The latencies of all topologies beside each other.
CREATE TABLE curve AS
SELECT bytes_per_pe AS bytes, max(us) FILTER (WHERE topology = 'ring_1d') AS ring,
       max(us) FILTER (WHERE topology = 'torus_2d') AS torus,
       max(us) FILTER (WHERE topology = 'mesh_2d_no_wrap') AS mesh
FROM run WHERE "set" = 'sweep' GROUP BY bytes_per_pe;

-- The same of what is chosen.
CREATE TABLE chosen_curve AS
SELECT bytes_per_pe AS bytes, max(us) FILTER (WHERE topology = 'ring_1d') AS ring,
       max(us) FILTER (WHERE topology = 'torus_2d') AS torus,
       max(us) FILTER (WHERE topology = 'mesh_2d_no_wrap') AS mesh
FROM run WHERE "set" = 'auto' GROUP BY bytes_per_pe;

-- The ring, the torus and the mesh.
CREATE TABLE grid AS
SELECT row_number() OVER (ORDER BY min(point)) - 1 AS place, topology, words, w, h FROM run
WHERE "set" = 'sweep' GROUP BY topology;

-- The largest size by topology and root, the centre first; empty where the mesh of cubes has no corners.
CREATE TABLE root_bar AS
SELECT grid.place AS place, grid.words AS words, dense_rank() OVER (ORDER BY root <> centre, root) - 1 AS series,
       format('%s (cube %d: column %d, row %d)', CASE root WHEN centre THEN 'centre' ELSE 'corner' END, root,
              root % cube_mesh.w, root / cube_mesh.w) AS title, us
FROM run JOIN grid USING (topology), cube_mesh
WHERE "set" IN ('sweep', 'roots') AND n_elem = (SELECT n_elem FROM run WHERE "set" = 'roots');

-- By memory of the rings: what the run takes longer than with rings in the TCM, and what it takes longer when slots of
-- the TCM cost as much.
CREATE TABLE memory AS
SELECT real.name, real.slots_cost_as AS kind, real.memory, real.bytes_per_pe AS bytes, real.latency_ns,
       tcm.latency_ns AS tcm_ns, real.latency_ns - tcm.latency_ns AS more_ns,
       stand_in.latency_ns - tcm.latency_ns AS expected_ns
FROM run AS real
JOIN run AS tcm ON tcm."set" = 'buffers' AND tcm.buffer_kind = 'tcm' AND tcm.n_elem = real.n_elem
LEFT JOIN run AS stand_in ON stand_in."set" = 'stand_ins' AND stand_in.slots_cost_as = real.slots_cost_as
                             AND stand_in.n_elem = real.n_elem
WHERE real."set" = 'buffers';

-- Below the figures.
CREATE TABLE caption AS
SELECT format('Simulated: lrab_hierarchical_allreduce, and auto, which chooses; sum of f16; every SIP has %d x %d cubes, PE 0 of each has a '
              || 'tile. ' || 'Latency: longest time of a PE in the kernel.', w, h) AS words
FROM cube_mesh;

CREATE TABLE allreduce AS
SELECT "set", topology, n_sips, CASE topology WHEN 'ring_1d' THEN 0 ELSE run.w END AS w,
       CASE topology WHEN 'ring_1d' THEN 0 ELSE run.h END AS h, n_elem, bytes_per_pe,
       bytes_per_pe * cube_mesh.w * cube_mesh.h AS bytes_per_sip, latency_ns, buffer_kind, slots_cost_as, root, run.pes
FROM run, cube_mesh
ORDER BY part, CASE part WHEN 2 THEN memory END, CASE part WHEN 2 THEN n_elem END, "set", point;
