-- All sections in one table, which is the result.
CREATE TABLE validation AS
SELECT * FROM measured_mesh
UNION ALL SELECT * FROM measured_memory
UNION ALL SELECT * FROM measured_links
UNION ALL SELECT * FROM measured_gemm
UNION ALL SELECT * FROM measured_collectives
UNION ALL SELECT * FROM measured_monotony;
