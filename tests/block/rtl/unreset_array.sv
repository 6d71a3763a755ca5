// The MAC array with a mistake: a register that nothing resets is part of the sums.
module unreset_array (
    input  logic         clk, rst, start,
    input  logic [15:0]  m_blocks, n_blocks, k,
    output logic         busy, in_ready, skewed,
    output logic [15:0]  block_m, block_n,
    output logic [16:0]  step,
    input  logic [63:0]  a, b,
    output logic         out_valid,
    output logic [7:0]   out_row,
    output logic [255:0] sums
);
  logic [255:0] good;
  logic [31:0]  stale;
  mac_array array (.sums(good), .*);
  assign sums = {good[255:32], good[31:0] ^ stale};
  always_ff @(posedge clk) if (start && k == 0) stale <= 0;
endmodule
