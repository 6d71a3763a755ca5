-- The distances that were measured.
CREATE TABLE hop AS
WITH
  target AS (SELECT DISTINCT target FROM hops UNION SELECT target FROM rings),
  mesh AS (SELECT CAST(value AS INTEGER) AS w FROM machine WHERE key = 'sip.cube_mesh.w'),
  own AS (SELECT y_mm FROM node WHERE id = 'sip0.cube0.pe0.pe_dma'),
  ends AS (
    SELECT CASE WHEN sip > 0 THEN 'h5' WHEN cube = w THEN 'h4' WHEN cube > 0 THEN 'h3'
                WHEN node.y_mm = own.y_mm THEN 'h1' ELSE 'h2' END AS id,
           target, 'sip0.cube0.pe0.pe_dma' AS first, node.id AS last
    FROM target JOIN node ON node.id = target || '.pe_dma', mesh, own
  ),
  kind(id, text, distance) AS (VALUES
    ('h1', 'in a cube, same row', 'cube'),
    ('h2', 'in a cube, same column', 'cube'),
    ('h3', 'to the cube east', 'cubes'),
    ('h4', 'to the cube south', 'cubes'),
    ('h5', 'to the next SIP', 'sips')
  )
SELECT id, text, distance, 'sip0.cube0.pe0' AS "from", target AS "to",
       json_array_length(path_edges(first, last)) AS wires, path_gbs(first, last) AS narrowest_gbs
FROM ends JOIN kind USING (id) ORDER BY id;

-- The runs as results.
CREATE TABLE pe2pe AS
SELECT 'hops' AS "set", id AS hop, "from", "to", method, 'tcm' AS buffer_kind, bytes, latency_ns
FROM hops JOIN hop ON target = "to" WHERE status = 'ok'
UNION ALL
SELECT 'rings', id, "from", "to", method, buffer_kind, bytes, latency_ns
FROM rings JOIN hop ON target = "to" WHERE status = 'ok';

-- What writing or reading a slot costs, by the memory of the ring: setup_ns + bytes * ns_per_byte, with the narrowest
-- wire on the way to the bank.
CREATE TABLE slot AS
WITH
  memory(kind, bank) AS (VALUES
    ('tcm', NULL), ('hbm', 'sip0.cube0.hbm_ctrl.pe0'), ('sram', 'sip0.cube0.sram')
  ),
  cost AS (
    SELECT kind, CAST(setup.value AS REAL) AS setup_ns, CAST(bw.value AS REAL) AS bw_gbs,
           CASE WHEN bank IS NULL THEN 0 ELSE path_gbs('sip0.cube0.pe0.pe_dma', bank) END AS hop_gbs
    FROM memory
         JOIN machine AS setup ON setup.key = 'cube.pe_template.components.pe_ipcq.attrs.' || kind || '_slot_setup_ns'
         JOIN machine AS bw ON bw.key = 'cube.pe_template.components.pe_ipcq.attrs.' || kind || '_slot_bw_gbs'
  )
SELECT kind, setup_ns, iif(bw_gbs > 0, 1 / bw_gbs, 0) + iif(hop_gbs > 0, 1 / hop_gbs, 0) AS ns_per_byte FROM cost;

-- Of a pseudo-channel of the HBM.
CREATE TABLE burst AS
SELECT CAST(flit.value AS REAL) * CAST(channels.value AS REAL) / CAST(rate.value AS REAL) AS ns
FROM machine AS flit, machine AS channels, machine AS rate
WHERE flit.key = 'cube.components.hbm_ctrl.attrs.burst_bytes'
  AND channels.key = 'cube.components.hbm_ctrl.attrs.num_pcs'
  AND rate.key = 'cube.links.hbm_to_router_bw_gbs';

-- Both methods beside each other.
CREATE TABLE both AS
SELECT queue.hop, distance, queue.bytes, queue.latency_ns AS ipcq_ns, store.latency_ns AS dma_ns
FROM pe2pe AS queue JOIN pe2pe AS store USING ("set", hop, bytes) JOIN hop ON hop.id = queue.hop
WHERE "set" = 'hops' AND queue.method = 'ipcq' AND store.method = 'dma';

-- What the figures say below.
CREATE TABLE caption AS
SELECT 'Time from the common start of both PEs to the end of the slower one; the sender loads the bytes from its HBM '
         || 'slice first. A message ends at the receiver, a slot write' AS note,
       format('and a credit after its last byte has come; a store ends at the sender, the last burst in the HBM '
              || '(%g ns) and a response after that.', ns) AS note2
FROM burst;

-- The words of axes.
CREATE TABLE size AS
SELECT DISTINCT bytes, iif(bytes < 1024, format('%d B', bytes), format('%g KiB', bytes / 1024.0)) AS text FROM pe2pe;
